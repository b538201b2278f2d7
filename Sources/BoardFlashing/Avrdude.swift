// Avrdude: runs avrdude and reports its progress.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts
import ToolSupport

/// Runs avrdude for a board on a serial port.
package struct Avrdude {
    let port: String
    let board: KnownBoard
    /// The baud rate of the board's boot loader.
    let baud: Int

    /// The content to write to flash, starting at address 0.
    enum Content {
        case hex([UInt8])
        case program([UInt8])
    }

    /// The maximum time for which avrdude may print nothing, in microseconds.
    private static let silenceLimit: Int64 = 30_000_000
    private static let slice: Int32 = 50

    /// Returns the command-line arguments for a file.
    func arguments(file: String, format: Character = "i") -> [String] {
        [
            "-c", "arduino", "-p", "m328p", "-b", "\(baud)", "-P", port, "-D",
            "-U", "flash:w:\(file):\(format)",
        ]
    }

    /// Returns the program's path. Throws `ToolError` if avrdude is not installed.
    package static func find() throws(ToolError) -> URL {
        if let program = InstalledProgram.find("avrdude") { return program }
        throw ToolError(
            .toolMissing, "avrdude, which flashes the board, is not installed",
            advice: "on Debian and Ubuntu: sudo apt install avrdude",
            "on macOS: brew install avrdude")
    }

    /// Writes content to flash and verifies it. Throws `ToolError`.
    ///
    /// - Parameters:
    ///   - isFirst: true if this process writes to the board for the first time.
    ///   - follow: a closure that is called with the progress, 0 to 1.
    func write(_ content: Content, isFirst: Bool, follow: (Double) -> Void) throws {
        let program = try Self.find()
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("bridge-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let format: Character
        switch content {
        case .hex(let text):
            try Data(text).write(to: file)
            format = "i"
        case .program(let bytes):
            try Data(bytes).write(to: file)
            format = "r"
        }
        let output = try run(
            program, arguments(file: file.path, format: format), isFirst, follow)
        if let output {
            throw output.failure.error(of: self, lastLines: output.lastLines)
        }
    }

    /// Runs avrdude. Returns the output of avrdude if it has failed; nil if it has succeeded.
    private func run(
        _ program: URL, _ arguments: [String], _ isFirst: Bool, _ follow: (Double) -> Void
    ) throws -> AvrdudeOutput? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        defer { process.end() }
        let output = try read(pipe.fileHandleForReading.fileDescriptor, isFirst, follow)
        process.end(after: Self.silenceLimit)
        return process.terminationStatus == 0 ? nil : output
    }

    /// Reads until avrdude has closed its output. Throws `ToolError` if the port disappears or a
    /// signal arrives.
    private func read(
        _ descriptor: Int32, _ isFirst: Bool, _ follow: (Double) -> Void
    ) throws -> AvrdudeOutput {
        var output = AvrdudeOutput()
        var lastReceived = Link.now()
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&request, 1, Self.slice) > 0 {
                let count = Foundation.read(descriptor, &bytes, bytes.count)
                if count <= 0 { return output }
                output.append(Array(bytes.prefix(count)))
                lastReceived = Link.now()
                follow(output.progress)
            }
            if let status = Interruption.status {
                let state =
                    isFirst && !output.hasConnected
                    ? "nothing was written: no boot loader has answered"
                    : "the firmware on the board is incomplete: flash the board again"
                throw ToolError(status, "interrupted; \(state)")
            }
            if access(port, F_OK) != 0 {
                throw ToolError(
                    .inputOutput, "\(port): unplugged while it was being flashed",
                    advice: "the boot loader is intact: plug the board in and flash it again")
            }
            if Link.now() - lastReceived > Self.silenceLimit {
                throw ToolError(.busy, "\(port): avrdude has stopped responding")
            }
        }
    }
}
