// SimulatedPico: the simulated RP2040 with its native USB port, and with the drive of its boot
// loader.

import Foundation
import TestSupport

/// A Raspberry Pi Pico with flash memory and DRV2605L.
final class SimulatedPico: SimulatedPort {
    private var hotplug: Hotplug?

    /// Starts a board.
    ///
    /// - Parameters:
    ///   - image: the firmware, as a UF2 file.
    ///   - options: the simulator's options, for example `["--actuators", "2"]`.
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
        hotplug = try Hotplug(
            drive: drive, links: ["dev/ttyACM5", "sys/class/tty/ttyACM5"].map(folder.path))
    }

    /// The folder in which the drive of the boot loader appears.
    var drive: String { folder.path("media/RPI-RP2") }

    /// True if the board is in its boot loader.
    var isInBootLoader: Bool {
        FileManager.default.fileExists(atPath: "\(drive)/INFO_UF2.TXT")
    }

    /// The number of times the firmware has entered the boot loader.
    var bootLoaderEntries: Int { traceLines("bootsel", fields: 2).count }

    /// An image whose protocol version is older than the version of this host.
    static let oldImage = built.appending(path: "old.uf2")

    /// True if the tests must run: all files are present, or the absence of a file must be a
    /// failure.
    static let isExpected = isExpected(with: [
        BoardSimulator.pico.program, BoardSimulator.pico.image, oldImage,
    ])
}

/// The symbolic links that represent a port. The links exist only while the drive of the boot
/// loader does not exist.
private final class Hotplug: Sendable {
    private let drive: String
    private let links: [(path: String, target: String)]

    private static let interval: useconds_t = 10_000

    init(drive: String, links: [String]) throws {
        self.drive = drive
        self.links = try links.map {
            ($0, try FileManager.default.destinationOfSymbolicLink(atPath: $0))
        }
        Thread.detachNewThread { [weak self] in
            while let hotplug = self { hotplug.poll() }
        }
    }

    private func poll() {
        let files = FileManager.default
        if files.fileExists(atPath: drive) {
            for link in links { try? files.removeItem(atPath: link.path) }
        } else {
            // If the link already exists, its creation fails; this failure is ignored.
            for link in links {
                try? files.createSymbolicLink(atPath: link.path, withDestinationPath: link.target)
            }
        }
        usleep(Self.interval)
    }
}
