// PictureConverter: conversion from SVG to PNG by an installed program.

import BridgeLink
import Foundation
import SerialPorts

/// The conversion by librsvg's rsvg-convert.
enum PictureConverter {
    private static let name = "rsvg-convert"
    /// The pixels of the picture per pixel of the SVG, for high-resolution screens.
    private static let zoom = 2
    /// The longest time that converting a picture may take, in microseconds.
    private static let timeLimit: Int64 = 60_000_000
    private static let slice: Int32 = 50

    /// Returns the program's path. Throws `ToolError` if it is not installed.
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
        let bytes = try read(pipe.fileHandleForReading.fileDescriptor)
        process.end(after: timeLimit)
        guard process.terminationStatus == 0, !bytes.isEmpty else {
            throw ToolError(
                .internalError, "\(name) failed (\(process.terminationStatus))",
                advice: "choose a picture that ends in .svg")
        }
        return bytes
    }

    /// Returns an open file with the given content and without a name, so that no other process can
    /// open it.
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
            .busy, "\(name) did not finish within \(timeLimit.secondsText)",
            advice: "choose a picture that ends in .svg")
    }
}

extension Process {
    /// The time between SIGTERM and SIGKILL for a program, in microseconds: less than
    /// ``Interruption`` gives this one.
    private static let patience: Int64 = 300_000

    /// Waits for the program to end. It has some time to end by itself, then receives SIGTERM, and
    /// 0.3 s later, if it still runs, SIGKILL.
    ///
    /// - Parameter time: the time to end by itself, in microseconds.
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

/// Programs that are installed separately.
enum InstalledProgram {
    /// Returns the path of a program in the folders of PATH; nil if none of them contains it.
    static func find(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").lazy
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
