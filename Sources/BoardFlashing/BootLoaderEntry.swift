// BootLoaderEntry: finds a board with an RP2040 that is in its boot loader. If there is none,
// starts the boot loader by sending a message to the firmware or by opening the port at 1200 baud.

import BoardSharing
import BridgeLink
import HapticBridge
import POSIX
import SerialPorts
import ToolSupport

/// The board to flash: the drive of a board that is in its boot loader, or the port of any other
/// board.
struct BootLoaderEntry {
    /// The drive of the board; nil if the board is not in its boot loader.
    let drive: BootDrive?
    /// The port of a board that is not in its boot loader, or the port that the board had before
    /// its boot loader started; nil if no port is known.
    let port: String?
    private let job: FlashJob

    /// Instructions for entering the boot loader by hand, a method that always works.
    static let byHand =
        "hold the BOOTSEL button of the board (BOOT on some boards) while you plug the board in, "
        + "then flash it again"

    /// Selects the board with the named drive or port or, without a name, the only drive or port
    /// that is found. If the named port does not exist, selects the only drive. Opens nothing.
    /// Throws `ToolError`.
    init(_ job: FlashJob) throws(ToolError) {
        self.job = job
        if let path = job.drive {
            drive = try Self.drive(named: path)
            port = nil
            return
        }
        if let path = job.port ?? BoardSearch.environmentPort {
            // A board in its boot loader has no port.
            (drive, port) = (PortList.isDevice(path) ? nil : try Self.onlyDrive(), path)
            return
        }
        if let only = try Self.onlyDrive() {
            (drive, port) = (only, nil)
            return
        }
        let ports = try PortSearch.ports().all.filter { $0.known?.isRP2040 == true }
        guard ports.count < 2 else { throw Self.several(ports) }
        (drive, port) = (nil, ports.first?.path)
        guard port != nil else {
            throw ToolError(
                .noBoard,
                "no port is known to belong to a board with an RP2040, and no "
                    + "board is in its boot loader",
                advice: Self.byHand)
        }
    }

    /// The drive or port of the board, for messages.
    var target: String { drive?.path ?? port ?? job.board.name }

    private static func drive(named path: String) throws(ToolError) -> BootDrive {
        if let drive = BootDrive(path: path) { return drive }
        guard access(path, F_OK) == 0 else {
            throw ToolError(
                .noBoard, "\(path): no such folder; the board may not be in its boot loader",
                advice: byHand)
        }
        throw ToolError(
            .noBoard, "\(path): not the drive of a boot loader: INFO_UF2.TXT is missing",
            advice: byHand)
    }

    /// Returns the only drive of a boot loader, and mounts the drive if necessary; nil if no board
    /// is in its boot loader. Throws `ToolError`.
    private static func onlyDrive() throws(ToolError) -> BootDrive? {
        let drives = BootDrive.mounted()
        guard drives.count < 2 else { throw several(drives) }
        if let first = drives.first { return first }
        return try BootDrive.unmounted().first.map { device throws(ToolError) in
            try DriveMount.mount(device)
        }
    }

    private static func several(_ drives: [BootDrive]) -> ToolError {
        var error = ToolError(.noBoard, "several boards are in their boot loaders")
        error.advice = drives.map(\.path) + ["choose one of the boards with --drive FOLDER"]
        return error
    }

    private static func several(_ ports: [PortDescription]) -> ToolError {
        var error = ToolError(.noBoard, "several ports may belong to boards with an RP2040")
        error.advice =
            ports.map { "\($0.path) (\($0.name))" } + ["choose one of the ports with --port PATH"]
        return error
    }

    // MARK: Entering the boot loader

    /// Brings the actuators of the board to rest and starts its boot loader. Throws `ToolError`.
    func enter() throws {
        guard let port else { return }
        try BoardOptions.release(port)
        do {
            guard let board = try opened(port) else { return try PortHold.touch(port) }
            defer { board.close() }
            try board.stop()
            try Self.send(to: board)
        } catch {
            throw ToolError(error, port: port)
        }
    }

    /// Checks that `enter` would start the boot loader. If another program serves the board, that
    /// program continues to serve the board. Throws `ToolError`.
    func check() throws {
        guard let port else { return }
        do {
            if let board = try HapticBoard.served(at: port) {
                defer { board.close() }
                _ = try answers(board.welcome, at: port)
            } else {
                try opened(port)?.close()
            }
        } catch {
            throw ToolError(error, port: port)
        }
    }

    /// Returns the board at a port if its firmware can start the boot loader; nil if the port must
    /// be opened at 1200 baud instead.
    private func opened(_ port: String) throws -> HapticBoard? {
        let board: HapticBoard
        do {
            board = try HapticBoard(openPort(port), timing: .ownUSB)
        } catch is LinkEnd {
            try checkTouch(port)
            return nil
        }
        do {
            if try answers(board.welcome, at: port) { return board }
        } catch {
            board.close()
            throw error
        }
        board.close()
        return nil
    }

    /// Returns whether the firmware of a board can start the boot loader. Throws `ToolError` if the
    /// boot loader cannot be started in any way.
    private func answers(_ welcome: Welcome, at port: String) throws(ToolError) -> Bool {
        try checkKind(welcome, at: port)
        if welcome.features.contains(.bootloader) { return true }
        try checkTouch(port)
        return false
    }

    /// Sends the message that starts the boot loader. The board may disconnect before it has
    /// answered.
    private static func send(to board: HapticBoard) throws {
        do {
            try board.link.carryOut(.enterBootloader)
        } catch TransportError.unplugged, is LinkEnd, RequestError.unanswered {
            return
        }
    }

    private func checkKind(_ welcome: Welcome, at port: String) throws(ToolError) {
        guard !welcome.kind.hasOwnUSB, welcome.kind != .unknown else { return }
        throw ToolError(
            .wrongBoard, "\(port): \(welcome.kind), not a \(job.board.kind)",
            advice: "nothing was written; to flash this board: "
                + "\(welcome.kind.flashCommand(port: port))")
    }

    /// Throws `ToolError` unless the port is known to belong to a board with an RP2040, because
    /// only such a port may be opened at 1200 baud.
    private func checkTouch(_ port: String) throws(ToolError) {
        guard PortList.port(at: port)?.known?.isRP2040 == true else {
            throw ToolError(
                .noBootLoader,
                "\(port): no firmware that can start the boot loader of an RP2040 answers",
                advice: Self.byHand)
        }
    }
}
