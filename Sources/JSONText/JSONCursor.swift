// JSONCursor: a position in a JSON text, with its line and column. The cursor can skip white space,
// and also comments and a byte order mark if these are allowed.

/// A position in a JSON text. Reading takes linear time, because each byte is examined only a fixed
/// number of times.
struct JSONCursor {
    let bytes: [UInt8]
    var position = 0
    private var line = 1
    private var lineStart = 0
    /// The number of UTF-8 continuation bytes in the current line before the position. These bytes
    /// do not count as columns.
    private var continuationBytes = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The byte at the position, or nil at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The byte after the position, or nil at the end.
    var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    /// The line and the column of the position.
    var location: SourceLocation {
        SourceLocation(line: line, column: position - lineStart - continuationBytes + 1)
    }

    /// If the current byte is equal to the given byte, skips it and returns true; otherwise,
    /// returns false.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    /// Skips white space. If the report allows comments, comments are skipped as well.
    mutating func skipBlank(_ report: inout JSONReport) throws(JSONError) {
        while let byte = current {
            switch byte {
            case .space, .tab: position += 1
            case .lineFeed, .carriageReturn: skipLineEnd()
            case .slash: try skipComment(&report)
            default: return
            }
        }
    }

    /// Skips a byte order mark at the start of the text.
    mutating func skipByteOrderMark(_ report: inout JSONReport) throws(JSONError) {
        guard bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        try report.repair(
            .byteOrderMark, at: location,
            "the file starts with a byte order mark",
            advice: "save the file as UTF-8 without a BOM",
            skipping: 0..<3)
        position = 3
        lineStart = 3
    }

    /// Skips the scalar at the position, which must not be ASCII.
    mutating func skipMultibyteScalar() throws(JSONError) {
        let length = UTF8Sequence.length(at: position, in: bytes)
        guard length > 0 else {
            throw malformed(
                "the text is not valid UTF-8 here", advice: "save the file with UTF-8 encoding")
        }
        position += length
        continuationBytes += length - 1
    }

    /// Returns an error at the position, or at another location.
    func malformed(_ message: String, at other: SourceLocation? = nil, advice: String) -> JSONError
    {
        JSONError(
            rule: .malformedJSON, location: other ?? location,
            message: message, advice: advice)
    }

    private mutating func skipLineEnd() {
        if current == .carriageReturn && next == .lineFeed { position += 1 }
        position += 1
        line += 1
        lineStart = position
        continuationBytes = 0
    }
}

extension JSONCursor {
    private mutating func skipComment(_ report: inout JSONReport) throws(JSONError) {
        guard next == .slash || next == .asterisk else {
            throw malformed("a stray \"/\"", advice: "remove the slash")
        }
        let start = position
        try report.repair(
            .comment, at: location, "a comment, which JSON does not allow",
            advice: "remove the comment",
            skipping: start..<start)
        if next == .slash { try skipLineComment() } else { try skipBlockComment() }
        report.setSkippedBytesOfLastRepair(start..<position)
    }

    private mutating func skipLineComment() throws(JSONError) {
        while let byte = current, byte != .lineFeed, byte != .carriageReturn {
            if byte < 0x80 { position += 1 } else { try skipMultibyteScalar() }
        }
    }

    private mutating func skipBlockComment() throws(JSONError) {
        let opening = location
        position += 2
        while let byte = current {
            switch byte {
            case .asterisk where next == .slash:
                position += 2
                return
            case .lineFeed, .carriageReturn: skipLineEnd()
            case 0x80...: try skipMultibyteScalar()
            default: position += 1
            }
        }
        throw malformed(
            "the comment is never closed", at: opening,
            advice: "close the comment with */")
    }
}

/// The rules for well-formed UTF-8, according to table 3-7 of the Unicode standard.
enum UTF8Sequence {
    /// Returns the length in bytes of the multi-byte scalar at a position, or 0 if the scalar is
    /// ill-formed.
    static func length(at position: Int, in bytes: [UInt8]) -> Int {
        guard let (length, second) = shape(startingWith: bytes[position]),
            position + length <= bytes.count, second.contains(bytes[position + 1])
        else { return 0 }
        let others = bytes[(position + 2)..<(position + length)]
        return others.allSatisfy { $0 & 0xC0 == 0x80 } ? length : 0
    }

    /// Returns the length of a sequence and the valid range of its second byte. The narrower ranges
    /// exclude overlong forms, surrogates and values above U+10FFFF.
    private static func shape(startingWith byte: UInt8) -> (Int, ClosedRange<UInt8>)? {
        switch byte {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let slash = UInt8(ascii: "/")
    static let asterisk = UInt8(ascii: "*")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
