// JSONError: the reason why a text cannot be read.

/// An error that prevents a JSON text from being read, with its location and advice.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that the text violates. In strict mode, this may be a rule that normally leads to a
    /// repair.
    public var rule: JSONDiagnostic.Rule
    /// The location of the first unexpected character.
    public var location: SourceLocation
    /// A description of the error, in one sentence without a period.
    public var message: String
    /// Advice on how to correct the error, in one sentence without a period.
    public var advice: String

    /// The text of the error, in the form `line:column: error: message [rule]`.
    public var description: String { "\(location): error: \(message) [\(rule.rawValue)]" }
}
