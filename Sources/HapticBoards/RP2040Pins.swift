// RP2040Pins: the driver pins of the boards with an RP2040, and their block in the firmware image.
//
// Sources: the board headers in pico-sdk for I2C, and the pin definitions in CircuitPython for the
// printed labels and the LEDs.

import BridgeLink

/// The pins of a board with an RP2040.
package struct RP2040Pins: Sendable {
    /// A pin, with its printed label and its GPIO number.
    package struct Pin: Sendable {
        package var label: String
        package var gpio: UInt8

        package init(_ label: String, _ gpio: UInt8) { (self.label, self.gpio) = (label, gpio) }
        /// Creates a pin whose printed label is its GPIO number.
        package init(_ gpio: UInt8) { self.init("GP\(gpio)", gpio) }
    }

    /// The number of the I2C controller to which SDA and SCL belong.
    package var i2c: UInt8
    package var sda: Pin
    package var scl: Pin
    /// The EN pin of each actuator; empty for a board that has no pin for EN.
    package var en: [Pin]
    /// The pin that removes locks while the pin is connected to GND; nil if the board has no such
    /// pin.
    package var jumper: Pin?
    /// The pin of the LED that shows the level; nil if the board has no suitable LED. A suitable
    /// LED has no other purpose and is on when its pin is high, so that it is off during a reset.
    package var led: Pin?

    /// A board, with its name for `bridge flash` and the label of its 3.3 V pin.
    package struct Board: Sendable {
        package var name: String
        package var kind: BoardKind
        package var supply: String
        package var pins: RP2040Pins
    }

    package static let boards = [
        Board(
            name: "pico", kind: .pico, supply: "3V3",
            pins: RP2040Pins(
                i2c: 0, sda: Pin(4), scl: Pin(5), en: (6...13).map { Pin($0) }, jumper: Pin(2),
                led: Pin(25))),
        Board(
            name: "xiao-rp2040", kind: .xiaoRP2040, supply: "3V3",
            pins: RP2040Pins(
                i2c: 1, sda: Pin("D4", 6), scl: Pin("D5", 7),
                en: [
                    Pin("D0", 26), Pin("D1", 27), Pin("D2", 28), Pin("D3", 29), Pin("D6", 0),
                    Pin("D7", 1), Pin("D8", 2), Pin("D9", 4),
                ], jumper: Pin("D10", 3))),
        // The firmware uses the bus on the STEMMA QT connector. The pins labeled SDA and SCL belong
        // to another bus.
        Board(
            name: "qt-py-rp2040", kind: .qtPyRP2040, supply: "3V",
            pins: RP2040Pins(
                i2c: 1, sda: Pin("STEMMA QT SDA", 22), scl: Pin("STEMMA QT SCL", 23),
                en: [
                    Pin("A0", 29), Pin("A1", 28), Pin("A2", 27), Pin("A3", 26), Pin("TX", 20),
                    Pin("RX", 5), Pin("SCK", 6), Pin("MI", 4),
                ], jumper: Pin("MO", 3))),
        Board(
            name: "feather-rp2040", kind: .featherRP2040, supply: "3V",
            pins: RP2040Pins(
                i2c: 1, sda: Pin("SDA", 2), scl: Pin("SCL", 3),
                en: [
                    Pin("D5", 7), Pin("D6", 8), Pin("D9", 9), Pin("D10", 10), Pin("D11", 11),
                    Pin("D12", 12), Pin("D24", 24), Pin("D25", 25),
                ], jumper: Pin("D4", 6), led: Pin("D13", 13))),
        Board(
            name: "itsybitsy-rp2040", kind: .itsyBitsyRP2040, supply: "3V",
            pins: RP2040Pins(
                i2c: 1, sda: Pin("SDA", 2), scl: Pin("SCL", 3),
                en: [
                    Pin("D7", 6), Pin("D9", 7), Pin("D10", 8), Pin("D11", 9), Pin("D12", 10),
                    Pin("D13", 11), Pin("D24", 24), Pin("D25", 25),
                ], jumper: Pin("D2", 12))),
        Board(
            name: "kb2040", kind: .kb2040, supply: "3V",
            pins: RP2040Pins(
                i2c: 0, sda: Pin("SDA", 12), scl: Pin("SCL", 13),
                en: (2...9).map { Pin("D\($0)", $0) }, jumper: Pin("D10", 10))),
        // The only signals of this board are SDA and SCL on its STEMMA QT connector.
        Board(
            name: "trinkey-qt2040", kind: .trinkeyQT2040, supply: "3V",
            pins: RP2040Pins(i2c: 0, sda: Pin("SDA", 16), scl: Pin("SCL", 17), en: [])),
        Board(
            name: "pro-micro-rp2040", kind: .proMicroRP2040, supply: "3.3V",
            pins: RP2040Pins(
                i2c: 0, sda: Pin("SDA", 16), scl: Pin("SCL", 17),
                en: (2...9).map { Pin("\($0)", $0) }, jumper: Pin("21", 21))),
        Board(
            name: "thing-plus-rp2040", kind: .thingPlusRP2040, supply: "3V3",
            pins: RP2040Pins(
                i2c: 1, sda: Pin("SDA", 6), scl: Pin("SCL", 7),
                en: ((16...22).map { Pin("\($0)", $0) }) + [Pin("A2", 28)],
                jumper: Pin("A3", 29), led: Pin("LED", 25))),
        Board(
            name: "rp2040-zero", kind: .rp2040Zero, supply: "3V3",
            pins: RP2040Pins(
                i2c: 1, sda: Pin(6), scl: Pin(7), en: (8...15).map { Pin($0) }, jumper: Pin(4))),
        Board(
            name: "nano-rp2040-connect", kind: .nanoRP2040Connect, supply: "3V3",
            pins: RP2040Pins(
                i2c: 0, sda: Pin("A4", 12), scl: Pin("A5", 13),
                en: [
                    Pin("D4", 16), Pin("D5", 17), Pin("D6", 18), Pin("D7", 19), Pin("D8", 20),
                    Pin("D9", 21), Pin("D10", 5), Pin("D11", 7),
                ], jumper: Pin("D2", 25), led: Pin("D13", 6))),
        Board(
            name: "tiny-2040", kind: .tiny2040, supply: "3V3",
            pins: RP2040Pins(
                i2c: 1, sda: Pin(2), scl: Pin(3),
                en: (4...7).map { Pin($0) } + (0...3).map { Pin("A\($0)", 26 + $0) },
                jumper: Pin(1))),
    ]
}

// MARK: The block in the image

extension RP2040Pins {
    /// The flash address of the block, which is `struct pins` in Firmware/boards/rp2040/pins.h.
    package static let blockAddress: UInt32 = 0x1000_0200
    /// The first bytes of the block.
    package static let magic = Array("pins".utf8)

    /// The code for a pin that the board does not have (`PINS_NONE`).
    private static let none: UInt8 = 0xFF
    /// The GPIO that is used as EN on a board without a pin for EN. This GPIO is not connected to
    /// anything.
    private static let unconnected: UInt8 = 0
    /// The maximum number of EN pins in the block (`PINS_ACTUATORS`).
    private static let enMax = 8

    /// Returns the block for a kind of board and a number of actuators.
    package func block(kind: BoardKind, actuators: Int) -> [UInt8] {
        let gpios = en.isEmpty ? [Self.unconnected] : en.map { $0.gpio }
        let enables = (gpios + [UInt8](repeating: Self.none, count: Self.enMax)).prefix(Self.enMax)
        return Self.magic + [kind.rawValue, i2c, sda.gpio, scl.gpio] + enables
            + [jumper?.gpio ?? Self.none, UInt8(actuators), led?.gpio ?? Self.none, Self.none]
    }
}
