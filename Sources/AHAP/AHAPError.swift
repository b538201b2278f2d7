// AHAPError: the reason why a file cannot be read, as readable text and as an error code of Core
// Haptics.

import JSONText

/// An error that prevents a file from being read, with its location and advice on how to correct
/// it.
public struct AHAPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error codes of `CHHapticErrors.h` that can occur when a pattern is read.
    public enum Code: Int, Sendable, CaseIterable {
        /// The bytes are not valid JSON text.
        case invalidPatternData = -4813
        /// The text is JSON but not a pattern: the root, `Pattern` or one of its entries is
        /// invalid.
        case invalidPatternDictionary = -4814
        /// The parameter id does not exist.
        case invalidParameterType = -4820
        /// The event type is missing or does not exist.
        case invalidEventType = -4821
        /// The time of an event is negative or otherwise invalid.
        case invalidEventTime = -4822
        /// The duration of an event is negative or otherwise invalid.
        case invalidEventDuration = -4823
        /// An `Event` has an entry of the wrong type.
        case badEventEntry = -4830
        /// A parameter, a curve or a point has an invalid entry or value.
        case badParameterEntry = -4831
        /// The time of a parameter, a curve or a point is negative or otherwise invalid.
        case invalidTime = -4840
    }

    /// The closest error code of Core Haptics (domain `com.apple.CoreHaptics`).
    public var code: Code
    /// The rule that the file violates. In strict mode, this may be a rule that normally leads to a
    /// repair.
    public var rule: Diagnostic.Rule
    /// The location of the error; nil if the document was not read from a file.
    public var location: SourceLocation?
    /// A description of the error, in one sentence without a period.
    public var message: String
    /// Advice on how to correct the error, in one sentence without a period.
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
    /// Creates the error for a text that is not valid JSON.
    package init(_ error: JSONError) {
        self.init(
            code: .invalidPatternData, rule: Diagnostic.Rule(error.rule), location: error.location,
            message: error.message, advice: error.advice)
    }
}
