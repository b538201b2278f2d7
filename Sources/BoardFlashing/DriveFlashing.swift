// DriveFlashing: flashes a board with an RP2040, whose boot loader appears as a drive.

import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

/// Flashes a board whose boot loader appears as a drive: starts the boot loader, copies the
/// firmware to the drive, and queries the new firmware at the port.
struct DriveFlashing {
    private let job: FlashJob
    private let pins: RP2040Pins

    /// The board name that the boot loader reports on the drive.
    private static let boardID = "RPI-RP2"
    /// The maximum time until a board appears as a drive or with a port, in microseconds.
    private static let patience: Microseconds = 10_000_000
    /// The time for which the program waits for the system to mount a drive, in microseconds.
    private static let mountTime: Microseconds = 3_000_000
    /// The interval at which drives and ports are polled, in seconds.
    private static let pollInterval = 0.05

    init(_ job: FlashJob, pins: RP2040Pins) {
        (self.job, self.pins) = (job, pins)
    }

    private var board: KnownBoard { job.board }

    func run(_ show: (FlashedBoard) throws -> Void) throws {
        let image = try readImage()
        let entry = try BootLoaderEntry(job)
        if job.dryRun {
            if let drive = entry.drive { _ = try checked(drive) } else { try entry.check() }
            return try showPlan(entry, size: image.size)
        }
        let started = Link.now()
        let others = try PortSearch.ports().all.map(\.path).filter { $0 != entry.port }
        let drive = try find(entry)
        try copy(image, to: drive)
        let connected = try awaitFirmware(at: entry.port, besides: others)
        defer { connected.close() }
        try checkAnswer(connected.welcome, at: connected.path)
        try show(
            FlashedBoard(
                board: connected, size: image.size, time: Link.now() - started, drive: drive))
    }

    // MARK: The image

    /// Returns the image, in which the pins of the board have been set. An image of other firmware
    /// contains no pins and is returned unchanged. Throws `ToolError`.
    private func readImage() throws(ToolError) -> UF2Image {
        let bytes = try job.imageBytes(or: FirmwareImage.uf2)
        do {
            var image = try UF2Image(bytes)
            let block = pins.block(kind: board.kind, actuators: job.actuatorCount)
            let hasPins = image.replace(
                RP2040Pins.magic, at: RP2040Pins.blockAddress, with: block)
            if !hasPins {
                job.output.remark("the image contains other firmware: no pins were set in it")
            }
            return image
        } catch {
            throw job.defect(at: ": block \(error.block)", error.reason)
        }
    }

    // MARK: The drive

    /// Starts the boot loader of the board, and returns its drive. Throws `ToolError`.
    private func find(_ entry: BootLoaderEntry) throws -> BootDrive {
        if let drive = entry.drive { return try checked(drive) }
        let known = Set(BootDrive.mounted())
        try entry.enter()
        let started = Link.now()
        while Link.now() < started + Self.patience {
            if let drive = BootDrive.mounted().first(where: { !known.contains($0) }) {
                return try checked(drive)
            }
            if Link.now() > started + Self.mountTime, let device = BootDrive.unmounted().first {
                return try checked(DriveMount.mount(device))
            }
            Thread.sleep(forTimeInterval: Self.pollInterval)
        }
        throw ToolError(
            .noBootLoader,
            "\(entry.target): no drive of a boot loader has appeared within "
                + Self.patience.secondsText,
            advice: BootLoaderEntry.byHand, "nothing was written")
    }

    private func checked(_ drive: BootDrive) throws(ToolError) -> BootDrive {
        if drive.boardID == Self.boardID { return drive }
        throw ToolError(
            .wrongBoard,
            "\(drive.path): the drive belongs to an \(drive.boardID), not to an \(Self.boardID)",
            advice: "the firmware for \(board.name) runs on an RP2040; nothing was written")
    }

    private func copy(_ image: UF2Image, to drive: BootDrive) throws {
        let display = FlashDisplay(isQuiet: job.output.quiet)
        try Interruption.deferred {
            defer { display.clear() }
            try DriveCopy(drive).write(image.bytes) { display.show("firmware", $0 / 2) }
        }
    }

    // MARK: The answer of the firmware

    /// Waits until a board answers on the previous port or on a new port.
    private func awaitFirmware(at port: String?, besides others: [String]) throws -> HapticBoard {
        let deadline = Link.now() + Self.patience
        var trouble = ToolError(
            .noBoard,
            "\(port ?? board.name): no board has appeared within \(Self.patience.secondsText)",
            advice: "plug the board in again; `bridge list` shows the ports")
        while Link.now() < deadline {
            let found = try PortSearch.ports().all.first {
                $0.path == port || $0.known?.isRP2040 == true && !others.contains($0.path)
            }
            do {
                if let found { return try HapticBoard(openPort(found.path), timing: .ownUSB) }
            } catch {
                trouble = ToolError(error, port: found?.path)
            }
            Thread.sleep(forTimeInterval: Self.pollInterval)
        }
        trouble.message += "; the image was copied"
        throw trouble
    }

    /// Checks that the board runs the copied firmware. Firmware that is not built into this program
    /// is not checked.
    private func checkAnswer(_ welcome: Welcome, at port: String) throws(ToolError) {
        guard job.image == nil else { return }
        if welcome.kind == board.kind, welcome.firmware == KnownBoard.firmwareVersion,
            welcome.actuators == job.actuatorCount
        {
            return
        }
        throw ToolError(
            .wrongBoard,
            "\(port): the board answers as \(welcome.kind) with firmware "
                + "\(welcome.firmwareVersion) and \(Int(welcome.actuators).text("actuator")), which "
                + "differs from the copied firmware",
            advice: "flash the board again; if several boards are connected, disconnect the others")
    }

    // MARK: Results

    private func showPlan(_ entry: BootLoaderEntry, size: Int) throws {
        try job.showPlan(
            port: entry.port, drive: entry.drive, size: size, command: nil,
            text: "would write \(size) bytes to \(entry.target), for \(board.kind) with "
                + job.actuatorCount.text("actuator"))
    }
}

extension LinkTiming {
    /// The timing of a link to a board with native USB. Such a board does not reset when its port
    /// is opened.
    static var ownUSB: LinkTiming {
        var timing = LinkTiming.standard
        timing.connectTimeout = .milliseconds(1_500)
        return timing
    }
}
