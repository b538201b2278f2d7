// BoardKind: the boards that the protocol distinguishes.

import CBridgeProtocol

/// A kind of board that the protocol distinguishes (SPEC 4.2).
public struct BoardKind: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A device that does not specify the kind of its board.
    public static let unknown = BoardKind(BRIDGE_BOARD_UNKNOWN)
    /// A simulated board in a computer's memory.
    public static let virtual = BoardKind(BRIDGE_BOARD_VIRTUAL)
    /// An Arduino Uno or Nano; both use the same firmware image.
    public static let unoNano = BoardKind(BRIDGE_BOARD_UNO_NANO)
    /// A Raspberry Pi Pico.
    public static let pico = BoardKind(BRIDGE_BOARD_PICO)
    /// A Raspberry Pi Pico 2.
    public static let pico2 = BoardKind(BRIDGE_BOARD_PICO_2)
    /// A Seeed Studio XIAO RP2040.
    public static let xiaoRP2040 = BoardKind(BRIDGE_BOARD_XIAO_RP2040)
    /// A Seeed Studio XIAO RP2350.
    public static let xiaoRP2350 = BoardKind(BRIDGE_BOARD_XIAO_RP2350)
    /// An Adafruit QT Py RP2040.
    public static let qtPyRP2040 = BoardKind(BRIDGE_BOARD_QT_PY_RP2040)
    /// An Adafruit Feather RP2040.
    public static let featherRP2040 = BoardKind(BRIDGE_BOARD_FEATHER_RP2040)
    /// An Adafruit ItsyBitsy RP2040.
    public static let itsyBitsyRP2040 = BoardKind(BRIDGE_BOARD_ITSYBITSY_RP2040)
    /// An Adafruit KB2040.
    public static let kb2040 = BoardKind(BRIDGE_BOARD_KB2040)
    /// An Adafruit Trinkey QT2040.
    public static let trinkeyQT2040 = BoardKind(BRIDGE_BOARD_TRINKEY_QT2040)
    /// A SparkFun Pro Micro RP2040.
    public static let proMicroRP2040 = BoardKind(BRIDGE_BOARD_PRO_MICRO_RP2040)
    /// A SparkFun Pro Micro RP2350.
    public static let proMicroRP2350 = BoardKind(BRIDGE_BOARD_PRO_MICRO_RP2350)
    /// A SparkFun Thing Plus RP2040.
    public static let thingPlusRP2040 = BoardKind(BRIDGE_BOARD_THING_PLUS_RP2040)
    /// A Waveshare RP2040-Zero.
    public static let rp2040Zero = BoardKind(BRIDGE_BOARD_RP2040_ZERO)
    /// An Arduino Nano RP2040 Connect.
    public static let nanoRP2040Connect = BoardKind(BRIDGE_BOARD_NANO_RP2040_CONNECT)
    /// A Pimoroni Tiny 2040.
    public static let tiny2040 = BoardKind(BRIDGE_BOARD_TINY_2040)
    /// A Pimoroni Tiny 2350.
    public static let tiny2350 = BoardKind(BRIDGE_BOARD_TINY_2350)

    /// A board of any kind on which a sketch runs the firmware as an Arduino library. The sketch
    /// may have other tasks.
    public static let arduino = BoardKind(BRIDGE_BOARD_ARDUINO)

    /// The names of the boards that this version defines.
    public static let names: [BoardKind: String] = [
        .unknown: "unknown board", .virtual: "virtual board", .unoNano: "Arduino Uno or Nano",
        .pico: "Raspberry Pi Pico", .pico2: "Raspberry Pi Pico 2",
        .xiaoRP2040: "Seeed Studio XIAO RP2040", .xiaoRP2350: "Seeed Studio XIAO RP2350",
        .qtPyRP2040: "Adafruit QT Py RP2040", .featherRP2040: "Adafruit Feather RP2040",
        .itsyBitsyRP2040: "Adafruit ItsyBitsy RP2040", .kb2040: "Adafruit KB2040",
        .trinkeyQT2040: "Adafruit Trinkey QT2040", .proMicroRP2040: "SparkFun Pro Micro RP2040",
        .proMicroRP2350: "SparkFun Pro Micro RP2350",
        .thingPlusRP2040: "SparkFun Thing Plus RP2040", .rp2040Zero: "Waveshare RP2040-Zero",
        .nanoRP2040Connect: "Arduino Nano RP2040 Connect", .tiny2040: "Pimoroni Tiny 2040",
        .tiny2350: "Pimoroni Tiny 2350", .arduino: "board with the Arduino library",
    ]

    /// True if the board has native USB, which transfers bytes in packets and ignores the baud
    /// rate. A board with the Arduino library may have native USB or a serial line; such a board is
    /// treated as if it had a serial line, except that its bytes may arrive faster.
    public var hasOwnUSB: Bool {
        isKnown && ![.unknown, .virtual, .unoNano, .arduino].contains(self)
    }

    /// True if a sketch polls the firmware, so the sketch's `loop()` can delay every action.
    public var isPolled: Bool { self == .arduino }

    /// The maximum lateness of a write on a 400 kHz bus, in microseconds. Firmware images start the
    /// write in an interrupt. If a sketch polls the firmware, the result is `LATE_US`, and a long
    /// `loop()` of the sketch can delay a write further. With several actuators, a transfer that
    /// switches the multiplexer and reads back its control register may be in progress (SPEC 6.6).
    ///
    /// - Parameter actuators: the number of actuators of the board.
    public func writeLateness(actuators: Int) -> Microseconds {
        if isPolled { return Microseconds(BRIDGE_LATE_US) }
        return actuators > 1 ? 60 + 2 * 50 + 98 : 60
    }

    /// The additional lateness of a write on a 100 kHz bus, in microseconds. After two transfers
    /// that switch the multiplexer, another transfer may still be in progress. That transfer takes
    /// this much longer than at 400 kHz (SPEC 6.6).
    public static let slowBusLateness: Microseconds = 800
}
