// PictureConverter: from SVG to PNG, by a program that is installed for it.

import Foundation

/// librsvg's rsvg-convert.
enum PictureConverter {
    private static let name = "rsvg-convert"
    /// Pixels of the picture for one of the SVG's, for dense screens.
    private static let zoom = 2

    /// The program's path. Throws `ToolError` if it is not installed.
    static func find() throws(ToolError) -> URL {
        if let program = InstalledProgram.find(name) { return program }
        throw ToolError(
            .toolMissing, "\(name) is not installed: it turns pictures into PNG",
            advice: "on Debian and Ubuntu: sudo apt install librsvg2-bin",
            "on macOS: brew install librsvg", "or name a picture that ends in .svg")
    }

    /// A PNG file. Throws `ToolError`.
    static func png(of svg: String) throws -> [UInt8] {
        let program = try find()
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("bridge-\(UUID().uuidString).svg")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(svg.utf8).write(to: file)
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["--zoom", "\(zoom)", "--format", "png", file.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
        let bytes = Array(pipe.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        guard process.terminationStatus == 0, !bytes.isEmpty else {
            throw ToolError(
                .internalError, "\(name) failed (\(process.terminationStatus))",
                advice: "name a picture that ends in .svg")
        }
        return bytes
    }
}

/// Programs of others.
enum InstalledProgram {
    /// The path of a program in the folders of PATH; nil if it is in none.
    static func find(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").lazy
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
