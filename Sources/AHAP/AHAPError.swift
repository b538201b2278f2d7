// AHAPError: the reason why a file was refused, as text for people and as a Core Haptics error
// number for programs.

import JSONText

/// The refusal of a file: what is wrong, where it is, and what to do about it.
public struct AHAPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error codes of `CHHapticErrors.h` that reading a pattern can produce.
    public enum Code: Int, Sendable, CaseIterable {
        /// The bytes are not readable as JSON text.
        case invalidPatternData = -4813
        /// The text is JSON but not a pattern: the root, `Pattern` or one of its entries is wrong.
        case invalidPatternDictionary = -4814
        /// The parameter id does not exist.
        case invalidParameterType = -4820
        /// The event type is missing or does not exist.
        case invalidEventType = -4821
        /// The time of an event is negative or otherwise impossible.
        case invalidEventTime = -4822
        /// The duration of an event is negative or otherwise impossible.
        case invalidEventDuration = -4823
        /// An `Event` has an entry of the wrong type.
        case badEventEntry = -4830
        /// A parameter, a curve or a point has a wrong entry or value.
        case badParameterEntry = -4831
        /// The time of a parameter, a curve or a point is negative or otherwise impossible.
        case invalidTime = -4840
    }

    /// The nearest error of Core Haptics (domain `com.apple.CoreHaptics`).
    public var code: Code
    /// The name of the rule that was broken. In strict mode it can be the rule of a repair;
    /// otherwise it is the rule of an error.
    public var rule: Diagnostic.Rule
    /// The location of the error; nil for a document that did not come from a file.
    public var location: SourceLocation?
    /// A description of what was found, in one sentence without a full stop.
    public var message: String
    /// A description of what to do about the error, in one sentence without a full stop.
    public var advice: String

    /// The text of the error, in the form `line:column: error: message [rule]`.
    public var description: String {
        let position = location.map { "\($0): " } ?? ""
        return "\(position)error: \(message) [\(rule.rawValue)]"
    }

    /// The error as a diagnostic.
    public var diagnostic: Diagnostic {
        Diagnostic(
            rule: rule, severity: .error, location: location, message: message, advice: advice)
    }
}

extension AHAPError {
    /// A file that is no JSON text.
    init(_ error: JSONError) {
        self.init(
            code: .invalidPatternData, rule: Diagnostic.Rule(error.rule), location: error.location,
            message: error.message, advice: error.advice)
    }
}
