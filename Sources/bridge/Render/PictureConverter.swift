// PictureConverter: from SVG to PNG, by a program that is installed for it.

import BridgeLink
import Foundation

/// librsvg's rsvg-convert.
enum PictureConverter {
    private static let name = "rsvg-convert"
    /// Pixels of the picture for one of the SVG's, for dense screens.
    private static let zoom = 2
    /// How long a picture may take, in microseconds.
    private static let timeLimit: Int64 = 60_000_000
    private static let slice: Int32 = 50

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
        let input = try nameless(Data(svg.utf8))
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["--zoom", "\(zoom)", "--format", "png"]
        process.standardInput = input
        process.standardOutput = pipe
        try process.run()
        defer { process.end() }
        let bytes = try read(pipe.fileHandleForReading.fileDescriptor)
        process.end(after: timeLimit)
        guard process.terminationStatus == 0, !bytes.isEmpty else {
            throw ToolError(
                .internalError, "\(name) failed (\(process.terminationStatus))",
                advice: "name a picture that ends in .svg")
        }
        return bytes
    }

    /// A file with a content and without a name, for which nobody else can look.
    private static func nameless(_ content: Data) throws -> FileHandle {
        let folder = FileManager.default.temporaryDirectory
        var path = Array(folder.appendingPathComponent("bridge-XXXXXX").path.utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw ToolError(
                .cannotCreate, "\(folder.path): \(String(cString: strerror(errno)))",
                advice: "TMPDIR names another folder for what is in between")
        }
        unlink(path)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: content)
        try file.seek(toOffset: 0)
        return file
    }

    /// Reads until the program has closed its output.
    private static func read(_ descriptor: Int32) throws -> [UInt8] {
        let deadline = Link.now() + timeLimit
        var bytes: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 1 << 16)
        while Link.now() < deadline {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, slice) > 0 else { continue }
            let count = Foundation.read(descriptor, &portion, portion.count)
            if count <= 0 { return bytes }
            bytes += portion.prefix(count)
        }
        throw ToolError(
            .busy, "\(name) has not ended after \(timeLimit.secondsText)",
            advice: "name a picture that ends in .svg")
    }
}

extension Process {
    /// How long a program has between SIGTERM and SIGKILL, in microseconds: less than
    /// ``Interruption`` gives this one.
    private static let patience: Int64 = 300_000

    /// Sees the program end: it has some time to end by itself, then gets SIGTERM, and 0.3 s later, if
    /// it is still there, SIGKILL.
    ///
    /// - Parameter time: in microseconds.
    func end(after time: Int64 = 0) {
        if runs(for: time) { terminate() }
        if runs(for: Self.patience) { kill(processIdentifier, SIGKILL) }
        waitUntilExit()
    }

    private func runs(for time: Int64) -> Bool {
        let deadline = Link.now() + time
        while isRunning, Link.now() < deadline { usleep(5_000) }
        return isRunning
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
