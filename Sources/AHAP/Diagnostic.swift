// Diagnostic: an error, a repair, a warning or a note on a pattern file, with its location and
// advice.

import JSONText

/// A diagnostic about a pattern file, in AHAP or in another format.
public struct Diagnostic: Sendable, Hashable {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable, CaseIterable {
        /// The file cannot be read.
        case error
        /// The reader changed or ignored a part of the file that does not comply with AHAP or JSON.
        /// In strict mode, this is an error.
        case repair
        /// A part of the file cannot be played, and the rest plays without it. In strict mode, this
        /// is an error.
        case warning
        /// The file is valid and was read as written, but the author should be aware of one of its
        /// properties.
        case note
    }

    /// The kind of the diagnostic. Unlike the wording of the message, the kind never changes.
    public var rule: Rule
    /// The severity of the diagnostic.
    public var severity: Severity
    /// The location of the problem; nil if the pattern was not read from a text file, or if the
    /// problem concerns the file as a whole.
    public var location: SourceLocation?
    /// The offset of the problem in a binary file, in bytes; nil for a text file.
    public var byte: Int?
    /// A description of the problem, in one sentence without a period.
    public var message: String
    /// Advice on how to solve the problem, in one sentence without a period.
    public var advice: String
    /// The change of the text that resolves the diagnostic and preserves the meaning of the text;
    /// nil if no such change exists or if the author must choose one.
    var fix: Fix?

    /// True if only the author can correct the problem: a name is unknown, but resembles a known
    /// name that was probably intended.
    package var isForAuthor: Bool { severity == .repair && fix == nil }

    /// Returns the diagnostic in the form `file:line:column: severity: message [rule]`, which
    /// editors recognize as a link, or `file: byte 12: severity: message [rule]` for a binary file.
    public func line(file: String) -> String {
        let position =
            location.map { "\(file):\($0)" } ?? byte.map { "\(file): byte \($0)" } ?? file
        return "\(position): \(severity.rawValue): \(message) [\(rule.rawValue)]"
    }
}

extension Diagnostic {
    /// The rule to which a diagnostic belongs. ``normalSeverity`` distinguishes repairs from notes.
    public enum Rule: String, Sendable, CaseIterable {
        // JSON
        /// The text is not JSON.
        case malformedJSON = "malformed-json"
        /// The file exceeds the limit on bytes, entries, control points or repairs.
        case tooLarge = "too-large"
        /// A comma precedes a closing bracket.
        case trailingComma = "trailing-comma"
        /// The text contains a `//` or `/* */` comment.
        case comment
        /// The file starts with U+FEFF.
        case byteOrderMark = "byte-order-mark"
        /// A key occurs more than once in an object; the last occurrence is used.
        case duplicateKey = "duplicate-key"
        // Grammar
        /// A value has a JSON type that its key does not allow.
        case wrongType = "wrong-type"
        /// `Pattern` is missing, is empty or has no usable entry.
        case missingPattern = "missing-pattern"
        /// An object lacks a required key.
        case missingKey = "missing-key"
        /// A parameter has no value; its default is used.
        case missingValue = "missing-value"
        /// A key does not exist in AHAP and is ignored.
        case unknownKey = "unknown-key"
        /// An entry has none of the three keys `Event`, `Parameter` and `ParameterCurve`, and is
        /// ignored.
        case unknownEntry = "unknown-entry"
        /// An entry has more than one of the three keys `Event`, `Parameter` and `ParameterCurve`;
        /// the reader uses all of these keys.
        case mixedEntry = "mixed-entry"
        /// An event type does not exist.
        case unknownEventType = "unknown-event-type"
        /// A parameter id does not exist and is ignored.
        case unknownParameterID = "unknown-parameter-id"
        /// A parameter of events is used for the whole pattern, or a parameter of the whole pattern
        /// is used for an event; the parameter is ignored.
        case misplacedParameter = "misplaced-parameter"
        /// The name of a type or parameter differs from the correct name only in upper and lower
        /// case. The correct name is used.
        case misspelledName = "misspelled-name"
        /// An event contains a parameter twice; the last occurrence is used.
        case duplicateParameter = "duplicate-parameter"
        /// `Version` is above 1.
        case newerVersion = "newer-version"
        // Values and times
        /// A value is not a finite number, or outside the range that its format requires.
        case illegalNumber = "illegal-number"
        /// A time is below 0 or above one day.
        case illegalTime = "illegal-time"
        /// A duration is below 0 or above one day.
        case illegalDuration = "illegal-duration"
        /// A value outside its range is replaced with the nearest value in the range.
        case clampedValue = "clamped-value"
        /// A curve has no control points and is ignored.
        case emptyCurve = "empty-curve"
        /// The control points of a curve are out of order and are sorted.
        case unsortedCurve = "unsorted-curve"
        /// A control point is later than one day and is ignored.
        case unreachablePoint = "unreachable-point"
        /// The times of control points are interpreted as relative to the start of the pattern.
        /// This is a note if the caller requested the interpretation, and a repair otherwise.
        case absoluteCurveTimes = "absolute-curve-times"
        // Meaning
        /// The times of control points appear to be relative to the start of the pattern.
        case absoluteLookingCurveTimes = "absolute-looking-curve-times"
        /// A continuous event is longer than the maximum that Apple documents.
        case continuousOver30Seconds = "continuous-over-30s"
        /// A curve has more points than Apple's editor allows.
        case curveOver16 = "curve-over-16"
        /// An event that never decays, because it is sustained, has a `DecayTime`.
        case decayWhileSustained = "decay-while-sustained"
        /// A continuous event plays until it is stopped.
        case endlessEvent = "endless-event"
        /// The pattern is felt without a pause for longer than is comfortable.
        case longWithoutPause = "long-without-pause"
        /// The pattern has a long series of taps that is too dense to be useful.
        case manyClicks = "many-clicks"
        /// There are more taps in one second than can be felt separately.
        case manyTaps = "many-taps"
        /// The times of the pattern appear to be milliseconds.
        case millisecondTimes = "millisecond-times"
        /// A key or parameter has no effect on the type of event that contains it.
        case notApplicable = "not-applicable"
        /// The pattern has no haptic events.
        case nothingPlays = "nothing-plays"
        /// A transient has a duration, which lengthens the pattern but not the transient.
        case paddedTransient = "padded-transient"
        /// A long pattern has pauses, but is felt for most of its duration.
        case rarelyAtRest = "rarely-at-rest"
        /// A transient has an envelope parameter, although transients have no envelope.
        case rampOnTransient = "ramp-on-transient"
        /// The pattern has transients that play while a sharpness control is active. The sources on
        /// Core Haptics disagree about how such transients behave.
        case transientUnderSharpnessCurve = "transient-under-sharpness-curve"
        // Files
        /// A sound file is missing, is not in the folder of the pattern or cannot be read.
        case unplayableSound = "unplayable-sound"
        /// A part of a file in a format other than AHAP is changed in the pattern, or is missing
        /// from the pattern.
        case formatLoss = "format-loss"
        /// A text is not XML.
        case malformedXML = "malformed-xml"
        /// A file in a format other than AHAP violates a rule of its format.
        case invalidContent = "invalid-content"
        /// The file is empty, is a sound or a compiled file, or is of a kind that is not supported.
        case notAPattern = "not-a-pattern"

        /// The severity that a diagnostic of this rule has in lenient mode.
        ///
        /// A repair changes or ignores a part of the file that the grammar of Core Haptics does not
        /// allow. A note concerns content that is legal but has no effect: for example, a duplicate
        /// key is legal JSON, and a parameter that does not apply to an event type is legal AHAP.
        public var normalSeverity: Severity {
            switch self {
            case .malformedJSON, .tooLarge, .wrongType, .missingPattern, .missingKey,
                .unknownEventType, .illegalNumber, .illegalTime, .illegalDuration, .malformedXML,
                .invalidContent, .notAPattern:
                .error
            case .trailingComma, .comment, .byteOrderMark, .missingValue, .unknownKey,
                .unknownEntry, .mixedEntry, .unknownParameterID, .misplacedParameter,
                .misspelledName, .clampedValue, .emptyCurve, .unsortedCurve, .unreachablePoint,
                .absoluteCurveTimes:
                .repair
            case .unplayableSound, .formatLoss: .warning
            case .duplicateKey, .duplicateParameter, .newerVersion, .absoluteLookingCurveTimes,
                .continuousOver30Seconds, .curveOver16, .decayWhileSustained,
                .endlessEvent, .longWithoutPause, .manyClicks, .manyTaps, .millisecondTimes,
                .notApplicable, .nothingPlays, .paddedTransient, .rampOnTransient, .rarelyAtRest,
                .transientUnderSharpnessCurve:
                .note
            }
        }
    }
}

extension Diagnostic {
    /// Creates a diagnostic without a fix.
    package init(
        _ rule: Rule, _ severity: Severity, at location: SourceLocation?, byte: Int? = nil,
        _ message: String, advice: String
    ) {
        self.init(
            rule: rule, severity: severity, location: location, byte: byte, message: message,
            advice: advice, fix: nil)
    }

    /// Creates a diagnostic from a diagnostic of the JSON text.
    init(_ finding: JSONDiagnostic) {
        self.init(
            rule: Rule(finding.rule), severity: finding.isRepair ? .repair : .note,
            location: finding.location, message: finding.message, advice: finding.advice,
            fix: finding.skippedBytes.map(Fix.removeBytes))
    }
}

extension Diagnostic.Rule {
    /// Creates the rule that corresponds to a rule for JSON text.
    init(_ rule: JSONDiagnostic.Rule) {
        self =
            switch rule {
            case .malformedJSON: .malformedJSON
            case .tooLarge: .tooLarge
            case .trailingComma: .trailingComma
            case .comment: .comment
            case .byteOrderMark: .byteOrderMark
            case .duplicateKey: .duplicateKey
            }
    }
}

extension [Diagnostic] {
    /// The diagnostics sorted by line and column. Diagnostics without a location come first, and
    /// diagnostics at the same location keep their order.
    package var inFileOrder: [Diagnostic] {
        sorted {
            ($0.location?.line ?? 0, $0.location?.column ?? 0)
                < ($1.location?.line ?? 0, $1.location?.column ?? 0)
        }
    }
}
