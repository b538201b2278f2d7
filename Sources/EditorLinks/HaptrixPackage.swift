// HaptrixPackage: the AHAP file of a message from Haptrix.

/// A pattern received from Haptrix.
public struct HaptrixPackage: Sendable, Equatable {
    /// The name of the file without control characters; empty if the file has no name.
    public let name: String
    /// The bytes of the AHAP file.
    public let ahap: [UInt8]
    /// The number of other files, which are sounds and are not played.
    public let others: Int

    /// Makes a package that consists of an AHAP file only.
    public init(ahap: [UInt8]) { (name, self.ahap, others) = ("", ahap, 0) }

    /// Decompresses an AHAP file of an archive: the first of those with the fewest enclosing
    /// folders.
    ///
    /// - Parameter limit: the maximum size of the file, in bytes.
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
    /// The number of folders around the file.
    fileprivate var depth: Int { name.count { $0 == "/" } }
    /// True if the file contains metadata of macOS about another file.
    fileprivate var isOfFinder: Bool {
        name.hasPrefix("__MACOSX/") || name.split(separator: "/").last?.hasPrefix("._") == true
    }
}
