// JSONDiagnostic: a finding in a JSON text that can be read nevertheless.

/// A finding in a JSON text, with its location and advice.
public struct JSONDiagnostic: Sendable, Hashable {
    /// The kind of a finding, which does not depend on the text of the message.
    public enum Rule: String, Sendable, CaseIterable {
        /// The text is not JSON.
        case malformedJSON = "malformed-json"
        /// The text exceeds the limit of repairs or of containers.
        case tooLarge = "too-large"
        /// A comma before a closing bracket.
        case trailingComma = "trailing-comma"
        /// A `//` or `/* */` comment.
        case comment
        /// U+FEFF at the start of the text.
        case byteOrderMark = "byte-order-mark"
        /// A key that occurs twice in an object; the last occurrence is used.
        case duplicateKey = "duplicate-key"
    }

    /// The kind of the finding.
    public var rule: Rule
    /// The location of the first character concerned.
    public var location: SourceLocation
    /// A description of the finding, in one sentence without a full stop.
    public var message: String
    /// Advice on the finding, in one sentence without a full stop.
    public var advice: String
    /// The bytes that were skipped and without which the text is valid; nil if the text is valid as
    /// it is.
    public var skippedBytes: Range<Int>?

    /// True if the text is not valid JSON at the location, which is an error in strict mode.
    public var isRepair: Bool { skippedBytes != nil }
}
