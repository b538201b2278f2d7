// The folders that tests use: the package folder and temporary folders.

import Foundation

/// A temporary folder that is deleted when its owner is released. The path of the folder is short,
/// because the path of a local socket is limited to 107 bytes.
public final class Folder: Sendable {
    public let url: URL

    public init() {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("hb-\(UUID().uuidString.prefix(13))")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    @discardableResult
    public func write(_ name: String, _ data: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try data.write(to: file)
        return file
    }

    /// Writes a text file and returns its path.
    public func write(_ name: String, _ text: String) throws -> String {
        try write(name, Data(text.utf8)).path
    }

    /// Writes a program, and returns its path.
    ///
    /// A separate process writes the program. The system refuses to execute a file while a process
    /// has the file open for writing, and a process that another test starts at this time would
    /// inherit the open file of this process.
    @discardableResult
    public func writeProgram(_ name: String, _ text: String) throws -> String {
        let source = try write("\(name).txt", text)
        try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [source, path(name)])
            .waitUntilExit()
        chmod(path(name), 0o755)
        return path(name)
    }

    public func data(_ name: String) -> Data {
        (try? Data(contentsOf: url.appendingPathComponent(name))) ?? Data()
    }

    public func text(_ name: String) -> String {
        (try? String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }
}
