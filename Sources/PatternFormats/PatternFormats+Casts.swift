// PatternFormats+Casts: the operations that only some formats support.

extension PatternFormats {
    /// The formats that can be written.
    public static let writable = all.compactMap { $0 as? any WritablePatternFormat }

    /// Returns the clips in a Meta Haptics Studio project; nil if the file is not such a project.
    public static func clips(of bytes: [UInt8]) throws(FormatError) -> [ProjectClip]? {
        try (format(of: bytes) as? HapticsStudioProjectFormat)?.clips(of: bytes)
    }
}
