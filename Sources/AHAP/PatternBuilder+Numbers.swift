// Numbers of a document to values in range and times in microseconds.

extension PatternBuilder {
    /// What a time belongs to, which decides the error's code.
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

    /// Seconds to microseconds, rounded to the nearest; 0 where the file gives none.
    func microseconds(
        _ number: AHAPDocument.Number?, of owner: SourcePlace?, _ kind: TimeKind
    ) throws(AHAPError) -> Microseconds {
        guard let number else { return 0 }
        guard (0...Self.latestSecond).contains(number.value) else {
            let isNegative = number.value < 0
            let limit = Int(Self.latestSecond)
            throw AHAPError(
                code: kind.code, rule: kind.rule, place: number.place ?? owner,
                message: isNegative
                    ? "a negative \(kind.noun), \(number.value) s"
                    : "a \(kind.noun) of \(number.value) s, beyond \(limit) s",
                advice: "\(kind.noun)s are seconds from 0 to \(limit)")
        }
        return Microseconds((number.value * 1_000_000).rounded())
    }

    /// A parameter's value, put into its range; its default where the file gives none.
    mutating func value(
        _ number: AHAPDocument.Number?, of name: String, in range: ClosedRange<Double>,
        default defaultValue: Double, at owner: SourcePlace?
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
                code: .badParameterEntry, rule: .illegalNumber, place: number.place ?? owner,
                message: "the value of \(name) is not a finite number",
                advice: "write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return try clamped(number, of: name, to: range, at: owner)
    }

    private mutating func clamped(
        _ number: AHAPDocument.Number, of name: String, to range: ClosedRange<Double>,
        at owner: SourcePlace?
    ) throws(AHAPError) -> Double {
        let value = range.clamp(number.value)
        if value != number.value {
            let limits = "\(range.lowerBound)...\(range.upperBound)"
            try report.repair(
                .clampedValue, .badParameterEntry, at: number.place ?? owner,
                "\(name) of \(number.value) lies outside \(limits) and is taken as \(value)",
                advice: "write a value within \(limits)", fix: .replace("\(value)"))
        }
        return value
    }
}

extension HapticEvent {
    /// One parameter by its id. Those of audio read as 0 on haptic events, and setting them there
    /// does nothing.
    public subscript(id: EventParameterID) -> Double {
        get {
            switch id {
            case .hapticIntensity: intensity
            case .hapticSharpness: sharpness
            case .attackTime: envelope.attackTime
            case .decayTime: envelope.decayTime
            case .releaseTime: envelope.releaseTime
            case .sustained: envelope.sustained ? 1 : 0
            case .audioVolume: audio?.volume ?? 0
            case .audioPitch: audio?.pitch ?? 0
            case .audioPan: audio?.pan ?? 0
            case .audioBrightness: audio?.brightness ?? 0
            }
        }
        set {
            switch id {
            case .hapticIntensity: intensity = newValue
            case .hapticSharpness: sharpness = newValue
            case .attackTime: envelope.attackTime = newValue
            case .decayTime: envelope.decayTime = newValue
            case .releaseTime: envelope.releaseTime = newValue
            case .sustained: envelope.sustained = newValue != 0
            case .audioVolume: audio?.volume = newValue
            case .audioPitch: audio?.pitch = newValue
            case .audioPan: audio?.pan = newValue
            case .audioBrightness: audio?.brightness = newValue
            }
        }
    }
}
