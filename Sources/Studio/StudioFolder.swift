// StudioFolder: the folder whose files a page may read and write.

import Foundation
import POSIX
import ToolSupport

/// A folder of AHAP files. Names cannot refer to files outside the folder.
package struct StudioFolder {
    /// The path of the folder, with links resolved.
    package let path: String

    /// The extension of the files that are shown.
    static let suffix = ".ahap"
    /// The suffix of a file that contains unsaved text.
    static let unsavedSuffix = ".unsaved"

    /// Returns the folder at a path. If the path leads to a file, returns the folder of the file
    /// and the name of the file. Throws `ToolError` if nothing exists at the path.
    package static func opened(_ path: String) throws(ToolError) -> (StudioFolder, file: String?) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ToolError(
                .noInput, "\(path): no such file or folder",
                advice: "specify an AHAP file, a folder, or nothing for the current folder")
        }
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        if isFolder.boolValue { return (StudioFolder(path: url.path), nil) }
        let name = url.lastPathComponent
        guard name.lowercased().hasSuffix(suffix) else {
            throw ToolError(
                .badData, "\(path): the studio edits only files whose names end in \(suffix)",
                advice: "convert other formats to AHAP with `bridge convert`")
        }
        return (StudioFolder(path: url.deletingLastPathComponent().path), name)
    }

    /// The names of the AHAP files and of the files with unsaved text, in alphabetical order.
    var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { isAllowed($0) && isInside($0) && isFile($0) }.sorted()
    }

    /// Returns the names of the files that contain unsaved text of the given file.
    func unsaved(of name: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasPrefix(Self.nameOfUnsaved(name)) }.sorted()
    }

    /// Returns the name of the file for unsaved text of the given file. The name is short enough
    /// for a number to be appended.
    private static func nameOfUnsaved(_ name: String) -> String {
        var start = Substring(name)
        while start.utf8.count > nameMax - unsavedSuffix.utf8.count - 8 { start.removeLast() }
        return start + unsavedSuffix
    }

    /// Stores unsaved text under a new name, so that earlier unsaved text is not lost. Returns the
    /// name. Throws `ToolError`.
    func keep(_ bytes: [UInt8], of name: String) throws(ToolError) -> String {
        try checkFolder()
        let first = Self.nameOfUnsaved(name)
        for number in 1... {
            let name = number == 1 ? first : "\(first)-\(number)"
            if try OutputFile.make(path + "/" + name, with: bytes) { return name }
        }
        preconditionFailure("the loop ends only when an unused name has been found")
    }

    /// Creates the folder with access for this user only. Throws `ToolError`.
    func makeIfMissing() throws(ToolError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw ToolError(.cannotCreate, "\(path): the folder cannot be created")
        }
    }

    /// True if files can be written.
    var isWritable: Bool { access(path, W_OK) == 0 }

    /// Returns true if a file cannot be overwritten. Files with unsaved text are never overwritten.
    func isReadOnly(_ name: String) -> Bool { !isWritable || Self.isKept(name) }

    /// Returns the path of a file.
    ///
    /// - Throws: `ToolError` if the name leads out of the folder, or is the name of neither an AHAP
    ///   file nor a file with unsaved text.
    func path(of name: String) throws(ToolError) -> String {
        guard isAllowed(name) else {
            throw ToolError(
                .usage, "\(name.debugDescription): not a valid name of an AHAP file in the folder",
                advice:
                    "a name must not contain a slash or a control character, must end in "
                    + "\(Self.suffix), and have at most \(Self.nameMax) bytes")
        }
        try checkFolder()
        guard isInside(name) else {
            throw ToolError(
                .noPermission, "\(name): a link to a location outside the folder",
                advice: "open the studio in the folder that contains the file")
        }
        return path + "/" + name
    }

    /// Throws `ToolError` if a link to another folder has replaced this folder.
    private func checkFolder() throws(ToolError) {
        guard let real = realPath(of: path), real != path else { return }
        throw ToolError(
            .noPermission, "\(path): now a link to another folder",
            advice: "open the studio again in the folder that contains the files")
    }

    /// Returns true if a file with this name contains unsaved text.
    static func isKept(_ name: String) -> Bool { name.contains(/\.unsaved(-[0-9]+)?$/) }

    /// Returns true if files with a name are shown.
    static func isShown(_ name: String) -> Bool {
        name.lowercased().hasSuffix(suffix) || isKept(name)
    }

    private func isAllowed(_ name: String) -> Bool {
        Self.isShown(name) && name.utf8.count <= Self.nameMax
            && !name.hasPrefix(".")
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.isControl }
    }

    /// The maximum length of a name in bytes, as on most file systems.
    private static let nameMax = 255

    /// Returns true if a name leads to an AHAP file in the folder, or to no file.
    private func isInside(_ name: String) -> Bool {
        let file = path + "/" + name
        var status = stat()
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return true }
        guard let target = realpath(file, nil) else { return false }
        defer { free(target) }
        let resolved = String(cString: target)
        return resolved.hasPrefix(path + "/") && Self.isShown(resolved)
    }

    /// Returns true if a name leads to a file, not to a folder, a pipe or a device.
    func isFile(_ name: String) -> Bool {
        var status = stat()
        return stat(path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads a file that is not empty. Throws `ToolError`.
    func read(_ name: String) throws(ToolError) -> [UInt8] {
        let bytes = try contents(of: name)
        guard !bytes.isEmpty else {
            throw ToolError(
                .badData, "\(name): is empty",
                advice: "delete the file, or choose New to create a pattern with another name")
        }
        return bytes
    }

    /// Reads a file, which may be empty. Throws `ToolError`.
    func contents(of name: String) throws(ToolError) -> [UInt8] {
        let path = try path(of: name)
        var status = stat()
        if isFile(name), stat(path, &status) == 0, status.st_size == 0 { return [] }
        return try InputFile(path, calling: name, mayBePipe: false).bytes
    }

    /// Replaces the contents of a file (``OutputFile``). Throws `ToolError`.
    func write(_ bytes: [UInt8], to name: String) throws(ToolError) {
        guard isFile(name) else {
            throw ToolError(
                .cannotCreate, "\(name): a pipe or a device, not a file",
                advice: "save the pattern under another name")
        }
        try OutputFile.write(bytes, to: path(of: name))
    }

    /// Writes a new file. Throws `ToolError` if the file exists.
    func make(_ name: String, with bytes: [UInt8]) throws(ToolError) {
        guard try OutputFile.make(path(of: name), with: bytes) else {
            throw ToolError(
                .cannotCreate, "\(name): was created by another program in the meantime",
                advice: "save the pattern under another name")
        }
    }

    /// Returns true if a file or a link with a name exists.
    func contains(_ name: String) -> Bool {
        var status = stat()
        return lstat(path + "/" + name, &status) == 0
    }
}
