// String.excerpt: the part of a string that is quoted in a message.

extension String {
    /// The string itself; if the string has more than 64 bytes, its first 32 scalars and an
    /// ellipsis.
    package var excerpt: String {
        guard utf8.count > Self.excerptLength else { return self }
        return String(UnicodeScalarView(unicodeScalars.prefix(Self.excerptLength / 2))) + "…"
    }

    private static let excerptLength = 64
}
