// SimulatedUno: the simulated ATmega328P behind a port that looks like an Arduino's USB serial
// port.

import Foundation
import TestSupport

/// An Uno with chip, boot loader, EEPROM and DRV2605L.
final class SimulatedUno: SimulatedPort {
    /// Starts a board.
    ///
    /// - Parameters:
    ///   - image: The contents of flash apart from the boot loader; nil if there are none.
    ///   - latency: The time for which the USB chip holds answers back, in milliseconds; nil if it
    ///     cannot report one.
    ///   - options: The simulator's options, for example `["--no-driver"]`.
    init(
        image: URL? = BoardSimulator.atmega328p.image, bootLoader: URL = SimulatedUno.optiboot,
        usb: USB = .uno, port: String = "ttyACM7", latency: Int? = nil, options: [String] = []
    ) throws {
        try super.init(BoardSimulator.atmega328p.program, usb: usb, port: port) { folder in
            ["--bootloader", bootLoader.path, "--eeprom", folder.path("eeprom")] + options
                + (image.map { [$0.path] } ?? [])
        }
        if let latency {
            let timer = "sys/class/tty/\(port)/device/latency_timer"
            _ = try folder.write(timer, "\(latency)\n")
        }
    }

    /// Waits until avrdude is in the middle of writing, when the boot loader has answered for some
    /// pages. The boot loader answers 4 bytes for each of the 96 pages, and sends all of the pages
    /// back for verification.
    func waitUntilFlashing() -> Bool { wait { sentCount > 120 } }

    // MARK: Availability

    /// A boot loader at 115,200 baud.
    static let optiboot = built.appending(path: "optiboot.hex")
    /// The boot loader of old Nanos, at 57,600 baud.
    static let atmegaBoot = built.appending(path: "atmegaboot.hex")

    /// An older version of the firmware.
    static let earlierImage = built.appending(path: "earlier.hex")

    /// The firmware with a protocol older than this host's.
    static let oldImage = built.appending(path: "old.hex")

    private static let files = [
        BoardSimulator.atmega328p.program, BoardSimulator.atmega328p.image, optiboot, atmegaBoot,
        earlierImage, oldImage,
    ]

    /// Whether the tests run: everything is present, or its absence counts as a failure.
    static let isExpected = isExpected(with: files)
}

extension SimulatedPort.USB {
    static let uno = Self(
        vendor: "2341", product: "0043", text: "Arduino Uno", serialNumber: "5573")
    static let nano = Self(
        vendor: "1a86", product: "7523", text: "USB Serial", serialNumber: "")
}
