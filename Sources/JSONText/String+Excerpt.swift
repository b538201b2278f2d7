// String+Excerpt: the part of a string that is quoted in a message.

extension String {
    /// The string itself; if the string has more than 64 bytes, its first 32 scalars and an
    /// ellipsis.
    package var excerpt: String {
        guard utf8.count > Self.excerptLength else { return self }
        return String(UnicodeScalarView(unicodeScalars.prefix(Self.excerptLength / 2))) + "…"
    }

    private static let excerptLength = 64

    /// The text without control characters and limited to a few words, for displaying names that
    /// come from an untrusted file or from a network.
    package var asNameOfStranger: String { withoutControls.excerpt }

    /// The text without control characters and limited to 300 Unicode scalars, for displaying
    /// sentences that come from an untrusted file.
    package var asLineOfStranger: String {
        String(UnicodeScalarView(unicodeScalars.prefix(Self.lineLength))).withoutControls
    }

    private static let lineLength = 300

    /// The text without line breaks, control characters and other invisible characters.
    private var withoutControls: String {
        let visible = unicodeScalars.filter {
            switch $0.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                .paragraphSeparator:
                false
            default: true
            }
        }
        return String(UnicodeScalarView(visible))
    }
}
