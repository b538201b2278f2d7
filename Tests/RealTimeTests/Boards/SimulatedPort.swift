// SimulatedPort: a simulated board behind a port that appears to be a USB serial port.

import Foundation
import TestSupport

/// A board in a simulator, with a USB port that libserialport and avrdude treat as a real port.
class SimulatedPort: PluggedPort {
    private let program: BoardProgram

    /// Starts a board.
    ///
    /// - Parameters:
    ///   - simulator: the program that simulates the board.
    ///   - arguments: a closure that returns the program's arguments, except `--control`, for a
    ///   given folder of files.
    init(
        _ simulator: URL, usb: USB, port: String, latency: Int? = nil,
        _ arguments: (Folder) -> [String]
    ) throws {
        let folder = Folder()
        let control = folder.path("control")
        guard mkfifo(control, 0o666) == 0 else { throw CocoaError(.fileWriteUnknown) }
        program = try BoardProgram(simulator, ["--control", control] + arguments(folder))
        try super.init(
            usb, port: port, terminal: program.port, latency: latency, folder: folder)
    }

    // MARK: The board

    /// Sends the simulator a command, for example `chip short on`. Returns when the simulator has
    /// executed the command.
    func happen(_ command: String) throws {
        let descriptor = open(folder.path("control"), O_WRONLY | O_NONBLOCK)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        let pipe = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let before = answers
        // The simulator answers `idle` as soon as it has executed the preceding command.
        try pipe.write(contentsOf: Data("\(command)\nidle\n".utf8))
        guard wait(until: { answers > before }) else { throw CocoaError(.fileWriteUnknown) }
    }

    private var answers: Int {
        program.traceText.split(separator: "\n").count { $0.hasPrefix("idle ") }
    }

    /// Unplugs the cable. Removes the port, also for programs that have opened it.
    func unplug() {
        _ = program.end()
        remove()
    }

    /// The causes of the board's resets so far, in order, for example `["power", "external"]`.
    var resets: [String] { traceLines("reset").map { $0[2] } }

    /// The number of bytes that the board or its boot loader has sent so far.
    var sentCount: Int { traceLines("tx").count }

    /// True if the host asserts DTR. The value changes shortly after the end of a program that has
    /// used the port.
    var holdsDTR: Bool { traceLines("dtr").last?[2] == "on" }

    /// The changes of the chip's drive so far, as values from -255 to 255.
    var drives: [Int] { traceLines("drive").compactMap { Int($0[2]) } }

    /// True if the actuator has been driven.
    var hasDriven: Bool { drives.contains { $0 > 0 } }

    /// Returns the changes of one chip's drive so far, as values from -255 to 255.
    func drives(of chip: Int) -> [Int] {
        traceLines("drive", fields: 4).filter { $0[3] == "\(chip)" }.compactMap { Int($0[2]) }
    }

    /// Returns the lines in the simulator's trace that have a given kind and a given number of
    /// words.
    func traceLines(_ kind: String, fields: Int = 3) -> [[String]] {
        program.traceText.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.count == fields && $0[0] == kind }
    }
}
