// StudioFolder: the files that a page may read and write.

import Foundation
import POSIX

/// A folder of AHAP files. Nothing outside of it can be named.
struct StudioFolder {
    /// The path of the folder, without links.
    let path: String

    /// The ending of the names of files that are shown.
    static let suffix = ".ahap"
    /// The ending that is added to the name of a file whose text was not saved.
    static let unsavedSuffix = ".unsaved"

    /// Returns the folder that a path leads to, or that of a file, with the name of the file. Throws
    /// `ToolError` if nothing is there.
    static func opened(_ path: String) throws(ToolError) -> (StudioFolder, file: String?) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ToolError(
                .noInput, "\(path): no such file or folder",
                advice: "give an AHAP file, a folder, or nothing for the present folder")
        }
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        if isFolder.boolValue { return (StudioFolder(path: place.path), nil) }
        let name = place.lastPathComponent
        guard name.lowercased().hasSuffix(suffix) else {
            throw ToolError(
                .badData, "\(path): the studio edits files whose name ends in \(suffix)",
                advice: "`bridge convert` makes an AHAP file of other formats")
        }
        return (StudioFolder(path: place.deletingLastPathComponent().path), name)
    }

    /// The names of the AHAP files, in alphabetical order.
    var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { isAllowed($0) && isInside($0) && !isFolder($0) }.sorted()
    }

    /// The names of the texts of a file that were not saved and are kept.
    func unsaved(of name: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasPrefix(name + Self.unsavedSuffix) }.sorted()
    }

    /// Returns a name that no file has: the given one, or one with the next number.
    func freeName(for name: String) -> String {
        guard contains(name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !contains($0) }!
    }

    /// Whether files can be written.
    var isWritable: Bool { access(path, W_OK) == 0 }

    /// Returns the path of a file.
    ///
    /// - Throws: `ToolError` for a name that leads out of the folder, or has another ending.
    func path(of name: String) throws(ToolError) -> String {
        guard isAllowed(name) else {
            throw ToolError(
                .usage, "\(name.debugDescription): not the name of an AHAP file of the folder",
                advice: "names have no slash and end in \(Self.suffix)")
        }
        guard isInside(name) else {
            throw ToolError(
                .noPermission, "\(name): a link that leads out of the folder",
                advice: "open the studio in the folder where the file is")
        }
        return path + "/" + name
    }

    private func isAllowed(_ name: String) -> Bool {
        name.lowercased().hasSuffix(Self.suffix) && name.utf8.count <= 255
            && !name.hasPrefix(".")
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 32 }
    }

    /// Whether a name leads to a file of the folder, or to nothing yet.
    private func isInside(_ name: String) -> Bool {
        let file = path + "/" + name
        var status = stat()
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return true }
        guard let target = realpath(file, nil) else { return false }
        defer { free(target) }
        return String(cString: target).hasPrefix(path + "/")
    }

    private func isFolder(_ name: String) -> Bool {
        var status = stat()
        return stat(path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads a file. Throws `ToolError`.
    func read(_ name: String) throws(ToolError) -> [UInt8] {
        try InputFile(path(of: name)).bytes
    }

    /// Writes a file, completely or not at all. Throws `ToolError`.
    func write(_ bytes: [UInt8], to name: String) throws(ToolError) {
        try OutputFile.write(bytes, to: path(of: name))
    }

    /// Whether there is a file of a name.
    func contains(_ name: String) -> Bool { access(path + "/" + name, F_OK) == 0 }
}
