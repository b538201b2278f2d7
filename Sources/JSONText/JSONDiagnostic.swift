// JSONDiagnostic: what there is to say about a text that is read all the same.

/// A finding in a JSON text, with its location and what to do about it.
public struct JSONDiagnostic: Sendable, Hashable {
    /// The kind of a finding, as a name that stays the same whatever the message says.
    public enum Rule: String, Sendable, CaseIterable {
        /// The text is not JSON.
        case malformedJSON = "malformed-json"
        /// The text needs more repairs than are made.
        case tooLarge = "too-large"
        /// A comma before a closing bracket.
        case trailingComma = "trailing-comma"
        /// A `//` or `/* */` comment.
        case comment
        /// U+FEFF at the start of the text.
        case byteOrderMark = "byte-order-mark"
        /// A key that occurs twice in an object; the last one counts.
        case duplicateKey = "duplicate-key"
    }

    /// The kind of the finding.
    public var rule: Rule
    /// The first character that it is about.
    public var location: SourceLocation
    /// The finding, in one sentence without a full stop.
    public var message: String
    /// The remedy, in one sentence without a full stop.
    public var advice: String
    /// The bytes that were passed over, and without which the text is legal; nil if the text is legal
    /// as it is.
    public var skippedBytes: Range<Int>?

    /// True if the text is no JSON there, so that strict mode refuses it.
    public var isRepair: Bool { skippedBytes != nil }
}
