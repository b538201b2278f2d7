// HaptrixPackage: the AHAP file in a message from Haptrix.

import JSONText
import PatternFormats

/// A pattern received from Haptrix.
public struct HaptrixPackage: Sendable, Equatable {
    /// The name of the file without control characters; empty if the file has no name.
    public let name: String
    /// The bytes of the AHAP file.
    public let ahap: [UInt8]
    /// The number of other files in the message. These files are sounds, which are not played.
    public let others: Int

    /// Creates a package that consists only of an AHAP file.
    public init(ahap: [UInt8]) { (name, self.ahap, others) = ("", ahap, 0) }

    /// Decompresses one AHAP file of an archive. If the archive contains several AHAP files,
    /// decompresses the first file among those with the fewest enclosing folders.
    ///
    /// - Parameter limit: the maximum size of the decompressed file, in bytes.
    /// - Throws: ``EditorLinkError`` if the archive cannot be read or contains no AHAP file.
    public init(zip bytes: [UInt8], limit: Int) throws(EditorLinkError) {
        do throws(FormatError) {
            try self.init(ZIPArchive(bytes), limit: limit)
        } catch {
            throw EditorLinkError(error.message)
        }
    }

    private init(_ archive: ZIPArchive, limit: Int) throws(FormatError) {
        guard let file = archive.outermost(where: { $0.lowercased().hasSuffix(".ahap") }).first
        else {
            throw FormatError(
                "the archive has no file whose name ends in .ahap", advice: "add a pattern")
        }
        name = String(file.lastName).asNameOfStranger
        ahap = try archive.content(of: file, limit: limit)
        others = archive.entries.count - 1
    }
}
