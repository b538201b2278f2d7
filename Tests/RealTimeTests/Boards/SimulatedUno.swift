// SimulatedUno: the simulated ATmega328P behind a port that appears as an Arduino's USB serial
// port.

import Foundation
import TestSupport

/// An Uno with its chip, boot loader, EEPROM and DRV2605L.
final class SimulatedUno: SimulatedPort {
    /// Starts a board.
    ///
    /// - Parameters:
    ///   - image: the contents of flash except the boot loader; nil for an empty flash.
    ///   - id: the id that is stored on the board; nil if the board has no id yet.
    ///   - options: the simulator's options, for example `["--no-driver"]`.
    init(
        image: URL? = BoardSimulator.atmega328p.image, bootLoader: URL = SimulatedUno.optiboot,
        usb: USB = .uno, port: String = "ttyACM7", id: UInt64? = nil, options: [String] = []
    ) throws {
        try super.init(BoardSimulator.atmega328p.program, usb: usb, port: port) { folder in
            if let id { _ = try? folder.write("eeprom", SimulatedUno.eeprom(id: id)) }
            return ["--bootloader", bootLoader.path, "--eeprom", folder.path("eeprom")] + options
                + (image.map { [$0.path] } ?? [])
        }
    }

    /// Returns the EEPROM of a chip that contains only an id.
    private static func eeprom(id: UInt64) -> Data {
        let complement = (0..<8).map { UInt8(truncatingIfNeeded: ~id >> ($0 * 8)) }
        return Data(complement + [UInt8](repeating: 0xFF, count: 1_024 - complement.count))
    }

    /// Waits until avrdude is writing and the boot loader has answered for several pages. The boot
    /// loader answers with 4 bytes for each of the 96 pages, and sends all pages back for
    /// verification.
    func waitUntilFlashing() -> Bool { wait { sentCount > 120 } }

    // MARK: Availability

    /// The boot loader of an Uno, which runs at 115,200 baud.
    static let optiboot = built.appending(path: "optiboot.hex")
    /// The boot loader of old Nanos, which runs at 57,600 baud.
    static let atmegaBoot = built.appending(path: "atmegaboot.hex")

    /// An older version of the firmware.
    static let earlierImage = built.appending(path: "earlier.hex")

    /// An image whose protocol version is older than the version of this host.
    static let oldImage = built.appending(path: "old.hex")

    private static let files = [
        BoardSimulator.atmega328p.program, BoardSimulator.atmega328p.image, optiboot, atmegaBoot,
        earlierImage, oldImage,
    ]

    /// True if the tests must run: all files are present, or the absence of a file must be a
    /// failure.
    static let isExpected = isExpected(with: files)
}
