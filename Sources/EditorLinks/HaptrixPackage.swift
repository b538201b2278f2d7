// HaptrixPackage: the AHAP file in a message from Haptrix.

/// A pattern received from Haptrix.
public struct HaptrixPackage: Sendable, Equatable {
    /// The name of the file without control characters; empty if the file has no name.
    public let name: String
    /// The bytes of the AHAP file.
    public let ahap: [UInt8]
    /// The number of other files in the message. They are sounds, which are not played.
    public let others: Int

    /// Creates a package that consists only of an AHAP file.
    public init(ahap: [UInt8]) { (name, self.ahap, others) = ("", ahap, 0) }

    /// Decompresses one AHAP file of an archive. If there are several, this is the first of those
    /// in the fewest enclosing folders.
    ///
    /// - Parameter limit: the maximum size of the decompressed file, in bytes.
    /// - Throws: ``EditorLinkError`` if the archive cannot be read or contains no AHAP file.
    public init(zip bytes: [UInt8], limit: Int) throws(EditorLinkError) {
        let archive = try ZIPArchive(bytes)
        let files = archive.entries.filter { !$0.isOfFinder }
        let patterns = files.filter { $0.name.lowercased().hasSuffix(".ahap") }
        guard let file = patterns.min(by: { $0.depth < $1.depth }) else {
            throw EditorLinkError("the archive has no file whose name ends in .ahap")
        }
        name = (file.name.split(separator: "/").last.map(String.init) ?? "").asNameOfStranger
        ahap = try archive.content(of: file, limit: limit)
        others = files.count - 1
    }
}

extension ZIPArchive.Entry {
    /// The number of folders that enclose the file.
    fileprivate var depth: Int { name.count { $0 == "/" } }
    /// True if the file contains metadata that macOS stores for another file.
    fileprivate var isOfFinder: Bool {
        name.hasPrefix("__MACOSX/") || name.split(separator: "/").last?.hasPrefix("._") == true
    }
}
