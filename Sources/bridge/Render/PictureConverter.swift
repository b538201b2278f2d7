// PictureConverter: converts SVG to PNG with an installed program.

import Foundation
import SerialPorts
import ToolSupport

/// Converts pictures with rsvg-convert from librsvg.
enum PictureConverter {
    private static let name = "rsvg-convert"
    /// The number of pixels of the picture per pixel of the SVG, for high-resolution screens.
    private static let zoom = 2
    /// The maximum time for converting a picture, in microseconds.
    private static let timeLimit: Int64 = 60_000_000

    /// Returns the path of rsvg-convert. Throws `ToolError` if the program is not installed.
    static func find() throws(ToolError) -> URL {
        if let program = InstalledProgram.find(name) { return program }
        throw ToolError(
            .toolMissing, "\(name) is not installed: it is needed to write PNG",
            advice: "on Debian and Ubuntu: sudo apt install librsvg2-bin",
            "on macOS: brew install librsvg", "or choose a picture that ends in .svg")
    }

    /// Returns the picture as a PNG file. Throws `ToolError`.
    static func png(of svg: String) throws -> [UInt8] {
        let program = try find()
        let input = try nameless(Data(svg.utf8))
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["--zoom", "\(zoom)", "--format", "png"]
        process.standardInput = input
        process.standardOutput = pipe
        try process.run()
        defer { process.end() }
        guard let bytes = InstalledProgram.output(of: pipe, within: timeLimit) else {
            throw ToolError(
                .busy, "\(name) did not finish within \(timeLimit.secondsText)",
                advice: "choose a picture that ends in .svg")
        }
        process.end(after: timeLimit)
        guard process.terminationStatus == 0, !bytes.isEmpty else {
            throw ToolError(
                .internalError, "\(name) failed (\(process.terminationStatus))",
                advice: "choose a picture that ends in .svg")
        }
        return bytes
    }

    /// Returns an open file with the given content. The file is deleted before it is returned, so
    /// that no other process can open it.
    private static func nameless(_ content: Data) throws -> FileHandle {
        let folder = FileManager.default.temporaryDirectory
        var path = Array(folder.appendingPathComponent("bridge-XXXXXX").path.utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw ToolError(
                .cannotCreate, "\(folder.path): \(String(cString: strerror(errno)))",
                advice: "set TMPDIR to another folder for temporary files")
        }
        unlink(path)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: content)
        try file.seek(toOffset: 0)
        return file
    }
}
