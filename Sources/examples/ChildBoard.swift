// ChildBoard: a virtual board in a separate process, so that the examples do not link the firmware.

import Foundation

/// A virtual board that runs until it is stopped.
struct ChildBoard {
    /// The port of the board.
    let port: String
    private let program = Process()

    /// Starts `virtual-board`, which is in the folder of this program, and waits for its port.
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
