// JSONError: why a text was refused.

/// A refusal of a JSON text: what is wrong, where, and what to do about it.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that the text breaks; in strict mode also one of those that are repaired otherwise.
    public var rule: JSONDiagnostic.Rule
    /// The first character that cannot stand where it stands.
    public var location: SourceLocation
    /// The finding, in one sentence without a full stop.
    public var message: String
    /// The remedy, in one sentence without a full stop.
    public var advice: String

    /// `line:column: error: message [rule]`.
    public var description: String { "\(location): error: \(message) [\(rule.rawValue)]" }
}
