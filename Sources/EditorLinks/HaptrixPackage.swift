// HaptrixPackage: the AHAP file in what Haptrix sends.

/// A pattern that Haptrix has sent.
public struct HaptrixPackage: Sendable, Equatable {
    /// The name of the file, without anything that a terminal would obey; empty if it has none.
    public let name: String
    /// The bytes of the AHAP file.
    public let ahap: [UInt8]
    /// The number of other files: sounds, which no actuator plays.
    public let others: Int

    /// Makes a package of an AHAP file alone.
    public init(ahap: [UInt8]) { (name, self.ahap, others) = ("", ahap, 0) }

    /// Unpacks the first AHAP file of an archive, of those in the outermost folder.
    ///
    /// - Parameter limit: the greatest size of the file, in bytes.
    /// - Throws: ``EditorLinkError`` for an archive that cannot be read or has no AHAP file.
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
    /// True if the file holds what macOS keeps about another one.
    fileprivate var isOfFinder: Bool {
        name.hasPrefix("__MACOSX/") || name.split(separator: "/").last?.hasPrefix("._") == true
    }
}
