// TextEncoding: recognizes texts that are not UTF-8.

/// The text encodings that are rejected.
package enum TextEncoding {
    /// Returns the name of the encoding if a text is UTF-16 or UTF-32; otherwise, nil.
    ///
    /// The text is recognized by its byte order mark, or by a byte of 0 in each of its first two
    /// characters, as in UTF-16 without the mark.
    package static func otherThanUTF8(_ bytes: [UInt8]) -> String? {
        let marks32: [[UInt8]] = [[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]]
        if marks32.contains(where: { bytes.starts(with: $0) }) { return "UTF-32" }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "UTF-16"
        }
        let isZero = bytes.prefix(4).map { $0 == 0 }
        return isZero == [true, false, true, false] || isZero == [false, true, false, true]
            ? "UTF-16" : nil
    }
}
