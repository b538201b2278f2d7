// FormatError: the error in a file that is rejected.

import AHAP
import JSONText

/// The rejection of a file: the error, its location, and advice on how to correct it.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The location of the first error; nil if the error concerns the file as a whole.
    public var location: FileLocation?
    /// The rule that the file violates. Unlike the message, the name of the rule never changes.
    public var rule: Diagnostic.Rule
    /// The description of the error, in one sentence without a period.
    public var message: String
    /// Advice on how to correct the error, in one sentence without a period.
    public var advice: String

    /// Creates an error.
    public init(
        at location: FileLocation? = nil, rule: Diagnostic.Rule = .invalidContent,
        _ message: String, advice: String
    ) {
        self.location = location
        self.rule = rule
        self.message = message
        self.advice = advice
    }

    /// Creates an error with a location in a text.
    public init(
        at location: SourceLocation?, rule: Diagnostic.Rule = .invalidContent, _ message: String,
        advice: String
    ) {
        self.init(at: location.map(FileLocation.text), rule: rule, message, advice: advice)
    }

    /// Creates an error for a text that is not valid JSON.
    public init(_ error: JSONError) {
        self.init(AHAPError(error))
    }

    /// Creates an error for an invalid AHAP file.
    init(_ error: AHAPError) {
        self.init(at: error.location, rule: error.rule, error.message, advice: error.advice)
    }

    /// Returns the error for the file that contains the given part. The message names the part.
    func within(_ part: String) -> FormatError {
        var error = self
        error.message = "\(part): \(message)"
        return error
    }

    /// The error in the form `line:column: error: message [rule]`, or `byte 12: error: message
    /// [rule]`.
    public var description: String {
        "\(location.map { "\($0): " } ?? "")error: \(message) [\(rule.rawValue)]"
    }

    /// The error as a diagnostic.
    public var diagnostic: Diagnostic {
        Diagnostic(
            rule, .error, at: location?.sourceLocation, byte: location?.byteOffset, message,
            advice: advice)
    }
}

/// The limits for the contents of a file.
public enum FormatLimits {
    /// The maximum size of a file in bytes, as for AHAP: 16 MB.
    public static let bytes = 16 << 20
    /// The maximum total number of points, taps, notes and steps in a file: 100,000.
    public static let points = 100_000
    /// The maximum time in a file, in microseconds: one day.
    public static let latest: Int64 = 86_400_000_000
}
