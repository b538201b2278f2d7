// KnownBoard: the boards that the firmware supports, with their wiring and the commands that flash
// them.

import BridgeLink

/// A board that the firmware supports. The name for `bridge flash --board` identifies the board.
package struct KnownBoard: Sendable {
    /// The name on the command line, for example "nano-old".
    package let name: String
    /// The kind of board that the firmware reports.
    package let kind: BoardKind
    package let wiring: Wiring
    package let loader: Loader

    /// The wires between the board and its driver, given by the labels that are printed next to the
    /// board's pins.
    package struct Wiring: Sendable {
        package var sda: String
        package var scl: String
        /// The pin for EN of the first actuator; nil if the board has no free pin.
        package var en: String?
        /// The pin for the driver's supply.
        package var supply: String
        /// The pin that removes locks while the pin is connected to GND; nil if the board has no
        /// such pin.
        package var jumper: String?

        /// The wires of one driver as text, for example "SDA to A4, SCL to A5, EN to D4, VIN to 5V,
        /// GND to GND".
        package var text: String {
            let enable = en.map { "EN to \($0), " } ?? ""
            return "SDA to \(sda), SCL to \(scl), \(enable)VIN to \(supply), GND to GND"
        }
    }

    /// The boot loader that receives the firmware.
    package enum Loader: Sendable {
        /// A serial boot loader for avrdude; `capacity` is the size of the flash memory that
        /// remains for the application, in bytes.
        case arduino(baud: Int, capacity: Int)
        /// The USB drive of the RP2040. The pins of the board are written into the image before the
        /// image is copied to the drive.
        case drive(RP2040Pins)
    }

    /// The maximum number of actuators that the firmware for the board can drive.
    package var actuatorsMax: Int {
        switch loader {
        case .arduino: 4
        case .drive(let pins): max(1, pins.en.count)
        }
    }
}

// MARK: The table

extension KnownBoard {
    /// All supported boards. The first board of each kind has the usual name of the kind.
    package static let all = arduinos + RP2040Pins.boards.map { KnownBoard($0) }

    private static let arduinos = [
        arduino("uno", baud: 115_200, capacity: 0x7E00),
        arduino("nano", baud: 115_200, capacity: 0x7E00),
        // A Nano with a boot loader from before 2018.
        arduino("nano-old", baud: 57_600, capacity: 0x7800),
    ]

    private static func arduino(_ name: String, baud: Int, capacity: Int) -> KnownBoard {
        KnownBoard(
            name: name, kind: .unoNano,
            wiring: Wiring(sda: "A4", scl: "A5", en: "D4", supply: "5V", jumper: "D2"),
            loader: .arduino(baud: baud, capacity: capacity))
    }

    private init(_ board: RP2040Pins.Board) {
        let pins = board.pins
        self.init(
            name: board.name, kind: board.kind,
            wiring: Wiring(
                sda: pins.sda.label, scl: pins.scl.label, en: pins.en.first?.label,
                supply: board.supply, jumper: pins.jumper?.label),
            loader: .drive(pins))
    }

    /// Returns the boards of a kind, which may differ in their boot loaders.
    package static func of(_ kind: BoardKind) -> [KnownBoard] { all.filter { $0.kind == kind } }
}

// MARK: Advice

extension BoardKind {
    /// Advice on the wires of a board of this kind. If the kind is known, the advice names the pins
    /// of the board.
    package var wiringAdvice: String {
        if self == .arduino {
            return "check the driver's wires: SDA and SCL to the pins of Wire, EN to the pin that "
                + "the sketch names, VIN to the voltage of the board's pins, GND to GND "
                + "(Schematics/README.md)"
        }
        guard let board = KnownBoard.of(self).first else {
            return "check the driver's wires: SDA, SCL, EN, VIN and GND (Schematics/README.md)"
        }
        return "check the driver's wires: \(board.wiring.text)"
    }

    /// The beginning of a sentence that names the action that removes a lock on a board of this
    /// kind.
    package var jumperAdvice: String {
        if self == .arduino { return "temporarily call bridge.begin(true) in the sketch" }
        guard let pin = KnownBoard.of(self).first?.wiring.jumper else {
            return "connect D2 to GND (Uno, Nano)"
        }
        return "connect \(pin) to GND"
    }

    /// Returns the command that flashes a board of this kind.
    package func flashCommand(port: String?) -> String {
        if self == .arduino {
            return "upload the sketch of the board again, with the library that "
                + "`make arduino-library` creates"
        }
        let names = KnownBoard.of(self).map { $0.name }
        let option = port.map { " --port \($0)" } ?? ""
        guard let name = names.first else {
            return "bridge flash --board uno\(option) (or nano, nano-old, pico; `bridge flash "
                + "--help` lists all boards)"
        }
        let others = names.count > 1 ? " (or \(names.dropFirst().joined(separator: ", ")))" : ""
        return "bridge flash --board \(name)\(option)\(others)"
    }
}
