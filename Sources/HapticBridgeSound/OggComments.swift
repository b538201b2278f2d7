// OggComments: the comments of an Ogg file. libsndfile returns only comments with common names.

/// Reads the comments of the first stream in an Ogg file: Vorbis (Vorbis I, 5) or Opus (RFC 7845, 5.2).
///
/// The bytes may be untrusted.
enum OggComments {
    /// The number of bytes at the start of a file that are searched for comments.
    static let searchedLength = 1 << 20
    /// The first bytes of each page of an Ogg file.
    static let magic = Array("OggS".utf8)

    private static let pageHeaderLength = 27
    private static let marks = ["\u{3}vorbis", "OpusTags"]

    /// Returns the value of the first comment `key=value`; nil if there is no such comment, or if
    /// the bytes are not the start of an Ogg file. The case of the key is ignored.
    static func value(of key: String, in bytes: [UInt8]) -> String? {
        let packet = secondPacket(of: bytes)
        guard let mark = marks.first(where: { packet.starts(with: $0.utf8) }) else { return nil }
        var rest = packet.dropFirst(mark.utf8.count)
        guard takeBlock(&rest) != nil, let count = takeNumber(&rest) else { return nil }
        for _ in 0..<count {
            guard let comment = takeBlock(&rest) else { return nil }
            let text = String(decoding: comment, as: UTF8.self)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].lowercased() == key.lowercased() {
                return String(parts[1])
            }
        }
        return nil
    }

    /// Returns the second packet of the first stream, which contains the comments (RFC 3533). If
    /// the bytes end before the end of the packet, returns the part of the packet that they
    /// contain.
    private static func secondPacket(of bytes: [UInt8]) -> [UInt8] {
        var packet: [UInt8] = []
        var index = 0
        var page = bytes[...]
        while page.starts(with: magic), page.count >= pageHeaderLength {
            let header = page.prefix(pageHeaderLength)
            let lengths = page.dropFirst(pageHeaderLength).prefix(Int(header.last ?? 0))
            let isFirstStream = header.dropFirst(14).prefix(4) == bytes[14..<18]
            page = page.dropFirst(pageHeaderLength + lengths.count)
            for length in lengths {
                if isFirstStream, index == 1 { packet += page.prefix(Int(length)) }
                page = page.dropFirst(Int(length))
                // A packet ends with the first segment of less than 255 bytes.
                if isFirstStream, length < 255 { index += 1 }
                if index == 2 { return packet }
            }
        }
        return packet
    }

    /// Removes a length and a block of that length from the start of `rest`, and returns the block.
    private static func takeBlock(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let length = takeNumber(&rest), length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }

    /// Removes a 32-bit little-endian number from the start of `rest`, and returns the number.
    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
