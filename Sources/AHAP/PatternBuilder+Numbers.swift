// PatternBuilder+Numbers: limits the numbers of a document to their ranges, and converts times to
// microseconds.

import HapticPatterns
import JSONText

extension PatternBuilder {
    /// The meaning of a time, which determines the error code for an invalid time.
    enum TimeKind {
        case event
        case duration
        case parameter

        fileprivate var code: AHAPError.Code {
            switch self {
            case .event: .invalidEventTime
            case .duration: .invalidEventDuration
            case .parameter: .invalidTime
            }
        }

        fileprivate var rule: Diagnostic.Rule {
            self == .duration ? .illegalDuration : .illegalTime
        }

        fileprivate var noun: String { self == .duration ? "duration" : "time" }
    }

    /// Converts seconds to the nearest number of microseconds. Returns 0 if the file does not
    /// contain the number.
    func microseconds(
        _ number: AHAPDocument.Number?, of owner: SourceLocation?, _ kind: TimeKind
    ) throws(AHAPError) -> Microseconds {
        guard let number else { return 0 }
        guard (0...Self.latestSecond).contains(number.value) else {
            let isNegative = number.value < 0
            let limit = Int(Self.latestSecond)
            throw AHAPError(
                code: kind.code, rule: kind.rule, location: number.location ?? owner,
                message: isNegative
                    ? "a negative \(kind.noun), \(number.value) s"
                    : "a \(kind.noun) of \(number.value) s, beyond \(limit) s",
                advice: "\(kind.noun)s are seconds from 0 to \(limit)")
        }
        return Microseconds((number.value * 1_000_000).rounded())
    }

    /// Returns the value of a parameter, clamped to the parameter's range. Returns the default if
    /// the file does not contain the value.
    mutating func value(
        _ number: AHAPDocument.Number?, of name: String, in range: ClosedRange<Double>,
        default defaultValue: Double, at owner: SourceLocation?
    ) throws(AHAPError) -> Double {
        guard let number else {
            try report.repair(
                .missingValue, .badParameterEntry, at: owner,
                "\(name) without a ParameterValue takes its default, \(defaultValue)",
                advice: "give it a ParameterValue, or remove it",
                fix: .addMember(.parameterValue, "\(defaultValue)"))
            return defaultValue
        }
        guard number.value.isFinite else {
            throw AHAPError(
                code: .badParameterEntry, rule: .illegalNumber, location: number.location ?? owner,
                message: "the value of \(name) is not a finite number",
                advice: "write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return try clamped(number, of: name, to: range, at: owner)
    }

    private mutating func clamped(
        _ number: AHAPDocument.Number, of name: String, to range: ClosedRange<Double>,
        at owner: SourceLocation?
    ) throws(AHAPError) -> Double {
        let value = range.clamp(number.value)
        if value != number.value {
            let limits = "\(range.lowerBound)...\(range.upperBound)"
            try report.repair(
                .clampedValue, .badParameterEntry, at: number.location ?? owner,
                "\(name) of \(number.value) is outside \(limits) and is read as \(value)",
                advice: "write a value within \(limits)", fix: .replace("\(value)"))
        }
        return value
    }
}
