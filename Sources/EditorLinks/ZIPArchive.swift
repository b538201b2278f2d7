// ZIPArchive: reads the files of an untrusted ZIP archive.

/// A ZIP archive in memory (APPNOTE.TXT 6.3.3) whose files are stored uncompressed or compressed
/// with Deflate.
///
/// Untrusted names and sizes in an archive cannot cause harm: nothing is written to a disk, and
/// each file is decompressed separately, up to a given size.
public struct ZIPArchive: Sendable {
    /// A file in an archive.
    public struct Entry: Sendable, Equatable {
        /// The path of the file in the archive, with slashes as separators.
        public let name: String
        /// The decompressed size of the file in bytes, according to the archive.
        public let size: Int
        let method: UInt16
        let isEncrypted: Bool
        let checksum: UInt32
        let packedSize: Int
        let headerOffset: Int
    }

    /// The maximum number of files in an archive: 1,000.
    public static let entriesMax = 1000

    /// The files in the order in which the archive lists them, without folders.
    public let entries: [Entry]
    private let bytes: [UInt8]

    /// Reads the list of files.
    ///
    /// - Throws: ``EditorLinkError`` if the bytes are not a ZIP archive, if the archive contains
    ///   too many files, or if the name of a file refers to a location outside the archive.
    public init(_ bytes: [UInt8]) throws(EditorLinkError) {
        self.bytes = bytes
        let (start, count) = try Self.directory(of: bytes)
        var entries: [Entry] = []
        var offset = start
        for _ in 0..<count {
            let (entry, next) = try Self.entry(at: offset, of: bytes)
            try Self.checkName(entry.name)
            if !entry.name.hasSuffix("/") { entries.append(entry) }
            offset = next
        }
        self.entries = entries
    }

    /// Returns the content of a file.
    ///
    /// - Parameter limit: the maximum decompressed size, in bytes.
    /// - Throws: ``EditorLinkError`` if the file is larger than the limit, damaged or encrypted, or
    ///   if its compression method is unknown.
    public func content(of entry: Entry, limit: Int) throws(EditorLinkError) -> [UInt8] {
        guard entry.size <= limit else {
            throw EditorLinkError(
                "\(entry.quoted) has \(entry.size) bytes; at most \(limit) are unpacked")
        }
        guard !entry.isEncrypted else { throw EditorLinkError("\(entry.quoted) is encrypted") }
        let packed = try packed(entry)
        let content: [UInt8]?
        switch entry.method {
        case 0: content = packed.count == entry.size ? Array(packed) : nil
        case 8: content = Deflate.unpacked(packed, size: entry.size)
        default:
            throw EditorLinkError(
                "\(entry.quoted) is compressed by method \(entry.method); only methods 0 and 8 are "
                    + "supported")
        }
        guard let content, Deflate.checksum(of: content) == entry.checksum else {
            throw EditorLinkError("\(entry.quoted) is damaged")
        }
        return content
    }

    private func packed(_ entry: Entry) throws(EditorLinkError) -> ArraySlice<UInt8> {
        let header = entry.headerOffset
        guard header + 30 <= bytes.count, bytes[...].littleEndian32(at: header) == 0x0403_4B50
        else {
            throw EditorLinkError(
                "\(entry.quoted) is not at the offset that the directory of the archive states")
        }
        let names = Int(bytes[...].littleEndian16(at: header + 26))
        let start = header + 30 + names + Int(bytes[...].littleEndian16(at: header + 28))
        guard start + entry.packedSize <= bytes.count else {
            throw EditorLinkError("the archive ends within \(entry.quoted)")
        }
        return bytes[start..<start + entry.packedSize]
    }

    // MARK: The directory at the end

    private static let endLength = 22

    /// Returns the offset of the first directory entry and the number of directory entries.
    private static func directory(
        of bytes: [UInt8]
    ) throws(EditorLinkError) -> (start: Int, count: Int) {
        guard let end = endRecord(of: bytes) else {
            throw EditorLinkError("not a ZIP archive: the end of its directory is missing")
        }
        let slice = bytes[...]
        let (count, total) = (slice.littleEndian16(at: end + 8), slice.littleEndian16(at: end + 10))
        let start = slice.littleEndian32(at: end + 16)
        guard count == total, start != .max else {
            throw EditorLinkError("the archive has several parts, or is larger than 4 GB")
        }
        guard count <= entriesMax else {
            throw EditorLinkError("the archive has \(count) files; at most \(entriesMax) are read")
        }
        return (Int(start), Int(count))
    }

    /// Returns the offset of the end record, which may be followed by a comment of up to 65,535
    /// bytes.
    private static func endRecord(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= endLength else { return nil }
        let last = bytes.count - endLength
        return (max(0, last - 65_535)...last).reversed().first { offset in
            bytes[...].littleEndian32(at: offset) == 0x0605_4B50
                && Int(bytes[...].littleEndian16(at: offset + 20)) == last - offset
        }
    }

    /// Returns the entry at an offset, and the offset of the next entry.
    private static func entry(
        at offset: Int, of bytes: [UInt8]
    ) throws(EditorLinkError) -> (Entry, next: Int) {
        let damage = EditorLinkError("the list of files in the archive is damaged")
        guard offset + 46 <= bytes.count, bytes[...].littleEndian32(at: offset) == 0x0201_4B50
        else {
            throw damage
        }
        func half(_ position: Int) -> Int { Int(bytes[...].littleEndian16(at: offset + position)) }
        func word(_ position: Int) -> UInt32 { bytes[...].littleEndian32(at: offset + position) }
        let nameEnd = offset + 46 + half(28)
        let next = nameEnd + half(30) + half(32)
        guard next <= bytes.count else { throw damage }
        let entry = Entry(
            name: String(decoding: bytes[offset + 46..<nameEnd], as: UTF8.self),
            size: Int(word(24)), method: UInt16(half(10)), isEncrypted: half(8) & 1 == 1,
            checksum: word(16), packedSize: Int(word(20)), headerOffset: Int(word(42)))
        return (entry, next)
    }

    /// Throws an error if unpacking a file with this name would write outside the archive's folder.
    private static func checkName(_ name: String) throws(EditorLinkError) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.isEmpty, !name.hasPrefix("/"), !parts.contains(".."),
            !name.contains("\\"), !name.contains("\0")
        else {
            throw EditorLinkError(
                "the name \"\(name.asNameOfStranger)\" points outside the folder of the archive")
        }
    }
}

extension ZIPArchive.Entry {
    fileprivate var quoted: String { "\"\(name.asNameOfStranger)\"" }
}
