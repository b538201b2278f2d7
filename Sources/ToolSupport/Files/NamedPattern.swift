// NamedPattern: a built-in pattern that commands accept by name.

import HapticBridge

/// A named pattern: the feedback of an operating system, or a sample.
package enum NamedPattern {
    case feedback(SystemFeedback)
    case sample(SamplePattern)

    /// The names of all patterns.
    package static let names =
        SystemFeedback.allCases.map(\.rawValue) + SamplePattern.allCases.map(\.rawValue)

    /// Finds the pattern with the given name; nil if no pattern has the name.
    package init?(_ name: String) {
        if let feedback = SystemFeedback(rawValue: name) {
            self = .feedback(feedback)
        } else if let sample = SamplePattern(rawValue: name) {
            self = .sample(sample)
        } else {
            return nil
        }
    }

    /// The contents of the AHAP file.
    package var file: [UInt8] {
        switch self {
        case .feedback(let feedback): Array(feedback.file)
        case .sample(let sample): sample.file
        }
    }
}
