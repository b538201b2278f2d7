// JSONDiagnostic: a problem in a JSON text that does not prevent the text from being read.

/// A problem in a JSON text, with its location and with advice.
public struct JSONDiagnostic: Sendable, Hashable {
    /// The kind of a problem, which does not depend on the wording of the message.
    public enum Rule: String, Sendable, CaseIterable {
        /// The text is not JSON.
        case malformedJSON = "malformed-json"
        /// The text exceeds the limit on repairs or on containers.
        case tooLarge = "too-large"
        /// A comma before a closing bracket.
        case trailingComma = "trailing-comma"
        /// A `//` or `/* */` comment.
        case comment
        /// U+FEFF at the start of the text.
        case byteOrderMark = "byte-order-mark"
        /// A key that occurs more than once in an object; the last occurrence is used.
        case duplicateKey = "duplicate-key"
    }

    /// The kind of the problem.
    public var rule: Rule
    /// The location of the first character that is affected.
    public var location: SourceLocation
    /// A description of the problem, in one sentence without a period.
    public var message: String
    /// Advice on how to solve the problem, in one sentence without a period.
    public var advice: String
    /// The skipped bytes, without which the text is valid; nil if the text is valid as it is.
    public var skippedBytes: Range<Int>?

    /// True if the text is not valid JSON at the location. In strict mode, such a problem is an
    /// error.
    public var isRepair: Bool { skippedBytes != nil }
}
