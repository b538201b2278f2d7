// DriveFlashing: flashes a board with an RP2040, whose boot loader is a drive.

import BridgeLink
import HapticBridge
import SerialPorts

/// The way of the firmware to a board whose boot loader is a drive: into the boot loader, onto the
/// drive, and back to the port, where the firmware itself is asked whether it arrived.
struct DriveFlashing {
    private let command: Flash
    private let pins: RP2040Pins

    /// The name of the boot loader's board on the drive.
    private static let boardID = "RPI-RP2"
    /// The time for a board to appear as a drive, and again with a port, in microseconds.
    private static let patience: Microseconds = 10_000_000
    /// The time for the system to mount a drive by itself, in microseconds.
    private static let mountTime: Microseconds = 3_000_000
    /// The interval at which drives and ports are looked for, in seconds.
    private static let lookInterval = 0.05

    init(_ command: Flash, pins: RP2040Pins) {
        (self.command, self.pins) = (command, pins)
    }

    private var board: KnownBoard { command.board }

    func run() throws {
        let image = try readImage()
        let entry = try BootLoaderEntry(command)
        if command.dryRun { return try showPlan(entry, size: image.size) }
        let started = Link.now()
        let others = try PortSearch.ports().all.map(\.path).filter { $0 != entry.port }
        let drive = try find(entry)
        try copy(image, to: drive)
        let connected = try awaitFirmware(at: entry.port, besides: others)
        defer { connected.close() }
        try checkAnswer(connected.welcome, at: connected.path)
        try command.show(connected, size: image.size, time: Link.now() - started, drive: drive)
    }

    // MARK: The image

    /// Returns the image, with the pins of the board. One of other firmware has none and stays as
    /// it is. Throws `ToolError`.
    private func readImage() throws(ToolError) -> UF2Image {
        let bytes = try command.imageBytes(or: FirmwareImage.uf2)
        do {
            var image = try UF2Image(bytes)
            let block = pins.block(kind: board.kind, actuators: command.actuatorCount)
            let hasPins = image.replace(
                RP2040Pins.magic, at: RP2040Pins.blockAddress, with: block)
            if !hasPins {
                command.output.remark("the image is not of this firmware: no pins in it")
            }
            return image
        } catch {
            throw command.defect(error.block, error.reason)
        }
    }

    // MARK: The drive

    /// Leads the board into its boot loader, and returns its drive. Throws `ToolError`.
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
            Thread.sleep(forTimeInterval: Self.lookInterval)
        }
        throw ToolError(
            .noBootLoader,
            "\(entry.place): no drive of a boot loader has appeared within "
                + Self.patience.secondsText,
            advice: BootLoaderEntry.byHand, "nothing was written")
    }

    private func checked(_ drive: BootDrive) throws(ToolError) -> BootDrive {
        if drive.boardID == Self.boardID { return drive }
        throw ToolError(
            .wrongBoard,
            "\(drive.path): the drive of an \(drive.boardID), not of an \(Self.boardID)",
            advice: "the firmware for \(board.name) runs on an RP2040; nothing was written")
    }

    private func copy(_ image: UF2Image, to drive: BootDrive) throws {
        let display = FlashDisplay(isQuiet: command.output.quiet)
        try Interruption.deferred {
            defer { display.clear() }
            try DriveCopy(drive).write(image.bytes) { display.show("firmware", $0 / 2) }
        }
    }

    // MARK: The firmware's own answer

    /// Waits until a board answers at the port that it had, or else at a new one.
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
            Thread.sleep(forTimeInterval: Self.lookInterval)
        }
        trouble.message += "; the image was copied"
        throw trouble
    }

    /// Checks that what answers is what was copied, if that is this program's own firmware.
    private func checkAnswer(_ welcome: Welcome, at port: String) throws(ToolError) {
        guard command.image == nil else { return }
        if welcome.kind == board.kind, welcome.firmware == KnownBoard.firmwareVersion,
            welcome.actuators == command.actuatorCount
        {
            return
        }
        throw ToolError(
            .wrongBoard,
            "\(port): the board answers as \(welcome.kind) with firmware "
                + "\(welcome.firmwareVersion) and \(Int(welcome.actuators).text("actuator")), which "
                + "is not what was copied",
            advice: "flash it again; if several boards are connected, disconnect the others")
    }

    // MARK: Results

    private func showPlan(_ entry: BootLoaderEntry, size: Int) throws {
        try command.showPlan(
            port: entry.port, drive: entry.drive, size: size, command: nil,
            text: "would write \(size) bytes to \(entry.place), for \(board.kind) with "
                + command.actuatorCount.text("actuator"))
    }
}

extension LinkTiming {
    /// The times of a link to a board with a USB port of its own, which does not reset when the port
    /// is opened.
    static var ownUSB: LinkTiming {
        var timing = LinkTiming.standard
        timing.connectTimeout = .milliseconds(1_500)
        return timing
    }
}
