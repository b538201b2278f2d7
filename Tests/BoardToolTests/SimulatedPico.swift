// SimulatedPico: the simulated RP2040 with its own USB port, and with the drive of its boot loader.

import Foundation
import TestSupport

/// A Raspberry Pi Pico with flash memory and DRV2605L.
final class SimulatedPico: SimulatedPort {
    /// Starts a board.
    ///
    /// - Parameters:
    ///   - image: The firmware, as UF2.
    ///   - boards: What stands before the folder of the drives, for several boards at once.
    ///   - options: The simulator's options, for example `["--actuators", "2"]`.
    init(
        image: URL = BoardSimulator.pico.image, usb: USB = .pico, options: [String] = []
    ) throws {
        try super.init(BoardSimulator.pico.program, usb: usb, port: "ttyACM5") { folder in
            let drives = folder.path("media")
            try? FileManager.default.createDirectory(
                atPath: drives, withIntermediateDirectories: true)
            return ["--flash", folder.path("flash"), "--bootsel", drives] + options + [image.path]
        }
        try mount([drive])
    }

    /// The folder at which the drive of the boot loader appears.
    var drive: String { folder.path("media/RPI-RP2") }

    /// Whether the board is in its boot loader.
    var isInBootLoader: Bool {
        FileManager.default.fileExists(atPath: "\(drive)/INFO_UF2.TXT")
    }

    /// Lists these folders as mounted drives.
    func mount(_ folders: [String]) throws {
        let lines = folders.map { "/dev/sda1 \($0) vfat rw,relatime 0 0\n" }
        _ = try folder.write("proc/mounts", lines.joined())
    }

    /// Adds the drive of another board that is in its boot loader, and returns its folder.
    func addDrive(_ name: String, boardID: String) throws -> String {
        let path = "media/\(name)"
        try FileManager.default.createDirectory(
            atPath: folder.path(path), withIntermediateDirectories: true)
        _ = try folder.write(
            "\(path)/INFO_UF2.TXT", "UF2 Bootloader v1.0\r\nBoard-ID: \(boardID)\r\n")
        return folder.path(path)
    }

    /// The moments at which the firmware has entered the boot loader.
    var bootLoaderEntries: Int { traceLines("bootsel", fields: 2).count }

    /// The firmware with a protocol older than this host's.
    static let oldImage = built.appending(path: "old.uf2")

    /// Whether the tests run: everything is present, or its absence counts as a failure.
    static let isExpected = isExpected(with: [
        BoardSimulator.pico.program, BoardSimulator.pico.image, oldImage,
    ])
}

extension SimulatedPort.USB {
    static let pico = Self(
        vendor: "2e8a", product: "000a", text: "Pico", serialNumber: "E6605838")
    /// A device that is not known.
    static let stranger = Self(
        vendor: "1d50", product: "6018", text: "Probe", serialNumber: "7A")
}
