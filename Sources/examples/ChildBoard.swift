// ChildBoard: a virtual board that runs in a separate process, so that the examples need not be
// linked with the firmware.

import Foundation

/// A virtual board that runs until it is stopped.
struct ChildBoard {
    /// The port of the board.
    let port: String
    private let program = Process()

    /// Starts `virtual-board`, which must be in the same folder as this program, and waits until
    /// its port exists.
    init() throws {
        program.executableURL = Bundle.main.executableURL?
            .resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("virtual-board")
        let output = Pipe()
        program.standardOutput = output
        program.standardError = FileHandle.nullDevice
        try program.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty
            else { throw CocoaError(.fileReadCorruptFile) }
            line += byte
        }
        port = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
            .replacingOccurrences(of: "device ", with: "")
    }

    func stop() {
        program.terminate()
        program.waitUntilExit()
    }
}
