// String.excerpt: the part of a string that a message quotes.

extension String {
    /// The string itself, or its first 32 scalars and an ellipsis if it has more than 64 bytes.
    package var excerpt: String {
        guard utf8.count > Self.excerptLength else { return self }
        return String(UnicodeScalarView(unicodeScalars.prefix(Self.excerptLength / 2))) + "…"
    }

    private static let excerptLength = 64
}
