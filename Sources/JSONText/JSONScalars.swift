// JSONScalars: reads strings, numbers, true, false and null according to RFC 8259. Both modes use
// this code.

extension JSONCursor {
    /// Reads the string whose opening quotation mark is at the position.
    mutating func readString() throws(JSONError) -> String {
        let opening = location
        position += 1
        var unescaped: [UInt8] = []
        var runStart = position
        while let byte = current {
            switch byte {
            case .quote:
                defer { position += 1 }
                let run = bytes[runStart..<position]
                let text = unescaped.isEmpty ? run : unescaped[...] + run
                return String(decoding: text, as: UTF8.self)
            case .backslash:
                unescaped += bytes[runStart..<position]
                unescaped += try readEscape()
                runStart = position
            case ..<0x20:
                throw malformed(
                    "a line end or control character inside a string",
                    advice: "close the string opened at \(opening), or write \\n, \\t or \\u00XX")
            case 0x80...: try skipMultibyteScalar()
            default: position += 1
            }
        }
        throw malformed(
            "the file ends inside the string opened at \(opening)",
            advice: "close the string with \"")
    }

    /// Reads the escape sequence whose backslash is at the position.
    private mutating func readEscape() throws(JSONError) -> [UInt8] {
        guard let letter = next, let byte = Self.escapes[letter] else {
            guard next == UInt8(ascii: "u") else {
                throw malformed(
                    "an unknown escape sequence",
                    advice: "JSON allows only \\\\ \\\" \\/ \\b \\f \\n \\r \\t and \\uXXXX")
            }
            return try readUnicodeEscape()
        }
        position += 2
        return [byte]
    }

    private static let escapes: [UInt8: UInt8] = [
        .quote: .quote, .backslash: .backslash, .slash: .slash,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): .lineFeed,
        UInt8(ascii: "r"): .carriageReturn, UInt8(ascii: "t"): .tab,
    ]

    /// Reads `\uXXXX`, or two such escape sequences that represent one scalar above U+FFFF.
    private mutating func readUnicodeEscape() throws(JSONError) -> [UInt8] {
        let start = location
        var value = try readCodeUnit()
        if (0xD800..<0xDC00).contains(value), current == .backslash, next == UInt8(ascii: "u") {
            let low = try readCodeUnit()
            if (0xDC00..<0xE000).contains(low) {
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw malformed(
                "half of a surrogate pair is not a character", at: start,
                advice: "write both halves, \\uD800 to \\uDBFF and then \\uDC00 to \\uDFFF")
        }
        return Array(String(scalar).utf8)
    }

    /// Reads the `\uXXXX` whose backslash is at the position.
    private mutating func readCodeUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for offset in 2..<6 {
            let index = position + offset
            guard index < bytes.count,
                let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue
            else {
                throw malformed(
                    "\\u without four hexadecimal digits",
                    advice: "write four digits, as in \\u00E9")
            }
            unit = unit << 4 | UInt32(digit)
        }
        position += 6
        return unit
    }

    /// Reads the number that starts at the position, and returns its text.
    mutating func readNumber() throws(JSONError) -> String {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        if skip(UInt8(ascii: "0")) {
            guard current?.isDigit != true else {
                throw malformed("a number with a leading zero", advice: "remove the zero")
            }
        } else {
            try readDigits(of: "a number")
        }
        if skip(UInt8(ascii: ".")) { try readDigits(of: "a fraction") }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            try readDigits(of: "an exponent")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func readDigits(of part: String) throws(JSONError) {
        guard current?.isDigit == true else {
            throw malformed(
                "expected a digit of \(part), found \(found)",
                advice: "write numbers like 0.5, -1 or 1e-3")
        }
        while current?.isDigit == true { position += 1 }
    }

    /// Reads `true`, `false` or `null`; returns nil if there is no literal at the position.
    mutating func readLiteral() -> JSONValue.Kind? {
        for (word, kind) in Self.literals where bytes[position...].starts(with: word) {
            position += word.count
            return kind
        }
        return nil
    }

    private static let literals: [([UInt8], JSONValue.Kind)] = [
        (Array("true".utf8), .bool(true)), (Array("false".utf8), .bool(false)),
        (Array("null".utf8), .null),
    ]

    /// A description of the text at the position, for messages.
    var found: String {
        guard let byte = current else { return "the end of the file" }
        switch byte {
        case .quote: return "a string"
        case 0x21..<0x7F: return "\"\(Character(Unicode.Scalar(byte)))\""
        case 0x80...:
            let length = UTF8Sequence.length(at: position, in: bytes)
            if length == 0 { return "a byte that is not UTF-8" }
            return "\"\(String(decoding: bytes[position..<(position + length)], as: UTF8.self))\""
        default: return "a control character"
        }
    }
}
