// ZIPArchive: reads the files of an untrusted ZIP archive.

import JSONText

/// A ZIP archive in memory (APPNOTE.TXT 6.3.3) whose files are stored uncompressed or compressed
/// with Deflate.
///
/// Untrusted names and sizes in an archive cannot cause harm: nothing is written to a disk, and
/// each file is decompressed separately, up to a given size.
package struct ZIPArchive: Sendable {
    /// A file in an archive.
    package struct Entry: Sendable, Equatable {
        /// The path of the file in the archive, with slashes as separators.
        package let name: String
        /// The decompressed size of the file in bytes, according to the archive.
        package let size: Int
        let method: UInt16
        let isEncrypted: Bool
        let checksum: UInt32
        let packedSize: Int
        let headerOffset: Int
    }

    /// The maximum number of files in an archive: 1,000.
    package static let entriesMax = 1000

    /// The files in the order in which the archive lists them, without folders and without the
    /// metadata that macOS adds.
    package let entries: [Entry]
    private let bytes: [UInt8]

    /// Reads the list of files.
    ///
    /// - Throws: ``FormatError`` if the bytes are not a ZIP archive, if the archive contains
    ///   too many files, or if the name of a file refers to a location outside the archive.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        self.bytes = bytes
        let (start, count) = try Self.directory(of: bytes)
        var entries: [Entry] = []
        var offset = start
        for _ in 0..<count {
            let (entry, next) = try Self.entry(at: offset, of: bytes)
            try Self.checkName(entry.name)
            if !entry.name.hasSuffix("/"), !entry.isOfFinder { entries.append(entry) }
            offset = next
        }
        self.entries = entries
    }

    /// Returns the least deeply nested of the files that have certain names.
    ///
    /// - Parameter isWanted: a closure that returns whether a name, without its folders, is one of
    ///   these names.
    package func outermost(where isWanted: (Substring) -> Bool) -> [Entry] {
        let files = entries.filter { isWanted($0.lastName) }
        let depth = files.map({ $0.depth }).min()
        return files.filter { $0.depth == depth }
    }

    /// Returns the content of a file.
    ///
    /// - Parameter limit: the maximum decompressed size, in bytes.
    /// - Throws: ``FormatError`` if the file is larger than the limit, damaged or encrypted, or
    ///   if its compression method is unknown.
    package func content(of entry: Entry, limit: Int) throws(FormatError) -> [UInt8] {
        guard entry.size <= limit else {
            throw .zip(
                "\(entry.quoted) has \(entry.size) bytes; at most \(limit) are unpacked")
        }
        guard !entry.isEncrypted else { throw .zip("\(entry.quoted) is encrypted") }
        let packed = try packed(entry)
        let content: [UInt8]?
        switch entry.method {
        case 0: content = packed.count == entry.size ? Array(packed) : nil
        case 8: content = Deflate.unpacked(packed, size: entry.size)
        default:
            throw .zip(
                "\(entry.quoted) is compressed by method \(entry.method); only methods 0 and 8 are "
                    + "supported")
        }
        guard let content, Deflate.checksum(of: content) == entry.checksum else {
            throw .zip("\(entry.quoted) is damaged")
        }
        return content
    }

    private func packed(_ entry: Entry) throws(FormatError) -> ArraySlice<UInt8> {
        let header = entry.headerOffset
        guard header <= bytes.count - 30, bytes[...].littleEndian32(at: header) == 0x0403_4B50
        else {
            throw .zip(
                "\(entry.quoted) is not at the offset that the directory of the archive states")
        }
        let names = Int(bytes[...].littleEndian16(at: header + 26))
        let start = header + 30 + names + Int(bytes[...].littleEndian16(at: header + 28))
        guard entry.packedSize <= bytes.count - start else {
            throw .zip("the archive ends within \(entry.quoted)")
        }
        return bytes[start..<start + entry.packedSize]
    }

    // MARK: The directory at the end

    private static let endLength = 22

    /// Returns the offset of the first directory entry and the number of directory entries.
    private static func directory(
        of bytes: [UInt8]
    ) throws(FormatError) -> (start: Int, count: Int) {
        guard let end = endRecord(of: bytes) else {
            throw .zip("not a ZIP archive: the end of its directory is missing")
        }
        let slice = bytes[...]
        let (count, total) = (slice.littleEndian16(at: end + 8), slice.littleEndian16(at: end + 10))
        let start = slice.littleEndian32(at: end + 16)
        guard count == total, start != .max else {
            throw .zip("the archive has several parts, or is larger than 4 GB")
        }
        guard count <= entriesMax else {
            throw .zip("the archive has \(count) files; at most \(entriesMax) are read")
        }
        return (Int(clamping: start), Int(count))
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
    ) throws(FormatError) -> (Entry, next: Int) {
        let damage = FormatError.zip("the list of files in the archive is damaged")
        guard offset <= bytes.count - 46, bytes[...].littleEndian32(at: offset) == 0x0201_4B50
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
            size: Int(clamping: word(24)), method: UInt16(half(10)), isEncrypted: half(8) & 1 == 1,
            checksum: word(16), packedSize: Int(clamping: word(20)),
            headerOffset: Int(clamping: word(42)))
        return (entry, next)
    }

    /// Throws an error if unpacking a file with this name would write outside the archive's folder.
    private static func checkName(_ name: String) throws(FormatError) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.isEmpty, !name.hasPrefix("/"), !parts.contains(".."),
            !name.contains("\\"), !name.contains("\0")
        else {
            throw .zip(
                "the name \"\(name.asNameOfStranger)\" points outside the folder of the archive")
        }
    }
}

extension ZIPArchive.Entry {
    /// The number of folders that enclose the file.
    fileprivate var depth: Int { name.count { $0 == "/" } }
    /// The name without its folders.
    package var lastName: Substring { name.split(separator: "/").last ?? "" }
    /// True if the file contains metadata that macOS stores for another file.
    fileprivate var isOfFinder: Bool { name.hasPrefix("__MACOSX/") || lastName.hasPrefix("._") }

    fileprivate var quoted: String { "\"\(name.asNameOfStranger)\"" }
}

extension FormatError {
    /// Creates an error for an invalid archive.
    fileprivate static func zip(_ message: String) -> FormatError {
        FormatError(message, advice: "export the file again")
    }
}

extension ArraySlice<UInt8> {
    /// Returns the 16-bit little-endian number that starts at an index.
    package func littleEndian16(at index: Int) -> UInt16 {
        UInt16(self[index]) | UInt16(self[index + 1]) << 8
    }

    /// Returns the 32-bit little-endian number that starts at an index.
    package func littleEndian32(at index: Int) -> UInt32 {
        UInt32(littleEndian16(at: index)) | UInt32(littleEndian16(at: index + 2)) << 16
    }
}
