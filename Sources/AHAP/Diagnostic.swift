// What reading a file has to say: repairs and notes, each with its location and what to do about it.

import JSONText

/// A diagnostic about an AHAP file.
public struct Diagnostic: Sendable, Hashable {
    /// The weight of a diagnostic.
    public enum Severity: String, Sendable, CaseIterable {
        /// The file was refused.
        case error
        /// The file was read as something slightly different from what it says. Refused in strict
        /// mode.
        case repair
        /// The file is legal here and means what it says, but something about it is worth knowing.
        case note
    }

    /// The kind of finding, as a name that stays the same whatever the message says.
    public var rule: Rule
    /// The importance of the diagnostic.
    public var severity: Severity
    /// The location of the finding; nil for a pattern that did not come from a file.
    public var location: SourceLocation?
    /// A description of what was found, in one sentence without a full stop.
    public var message: String
    /// A description of what to do about it, in one sentence without a full stop.
    public var advice: String
    /// The change of the text that makes the diagnostic go away and the meaning stay; nil where there is
    /// none, or the choice is the author's.
    var fix: Fix?

    /// True if only the author can tell what is right: a name is unknown, and another one is probably meant.
    package var isForAuthor: Bool { severity == .repair && fix == nil }

    /// Returns `file:line:column: severity: message [rule]`, a form that editors make clickable.
    public func line(file: String) -> String {
        let position = location.map { "\(file):\($0)" } ?? file
        return "\(position): \(severity.rawValue): \(message) [\(rule.rawValue)]"
    }
}

extension Diagnostic {
    /// The name of a diagnostic. ``normalSeverity`` tells repairs from notes.
    public enum Rule: String, Sendable, CaseIterable {
        // JSON
        /// The text is not JSON.
        case malformedJSON = "malformed-json"
        /// The file has more bytes, entries or control points, or needs more repairs, than the
        /// limit.
        case tooLarge = "too-large"
        /// A comma stands before a closing bracket.
        case trailingComma = "trailing-comma"
        /// The text contains a `//` or `/* */` comment.
        case comment
        /// The file starts with U+FEFF.
        case byteOrderMark = "byte-order-mark"
        /// A key occurs twice in an object; the last one is used.
        case duplicateKey = "duplicate-key"
        // Grammar
        /// A value has a JSON type that its key does not allow.
        case wrongType = "wrong-type"
        /// `Pattern` is missing, empty, or contains nothing that can be used.
        case missingPattern = "missing-pattern"
        /// An object lacks a key without which it has no meaning.
        case missingKey = "missing-key"
        /// A parameter has no value; its default is used.
        case missingValue = "missing-value"
        /// A key does not exist in AHAP and is ignored.
        case unknownKey = "unknown-key"
        /// An entry has none of the three keys `Event`, `Parameter` and `ParameterCurve`, and is
        /// ignored.
        case unknownEntry = "unknown-entry"
        /// An entry has more than one of the three keys `Event`, `Parameter` and `ParameterCurve`;
        /// all are used.
        case mixedEntry = "mixed-entry"
        /// An event type does not exist.
        case unknownEventType = "unknown-event-type"
        /// A parameter id does not exist and is ignored.
        case unknownParameterID = "unknown-parameter-id"
        /// A type or id is correct except for upper and lower case; the correct name is used.
        case misspelledName = "misspelled-name"
        /// An event gives a parameter twice; the last one is used.
        case duplicateParameter = "duplicate-parameter"
        /// `Version` is above 1.
        case newerVersion = "newer-version"
        // Values and times
        /// A value is not a finite number.
        case illegalNumber = "illegal-number"
        /// A time is below 0 or beyond one day.
        case illegalTime = "illegal-time"
        /// A duration is below 0 or beyond one day.
        case illegalDuration = "illegal-duration"
        /// A value outside its range is replaced by the nearest value inside.
        case clampedValue = "clamped-value"
        /// A curve has no control points and is ignored.
        case emptyCurve = "empty-curve"
        /// The control points of a curve are out of order and are sorted.
        case unsortedCurve = "unsorted-curve"
        /// A control point is later than one day and is ignored.
        case unreachablePoint = "unreachable-point"
        /// Control points count from the start of the pattern. It is a note if that was requested,
        /// otherwise a repair.
        case absoluteCurveTimes = "absolute-curve-times"
        // Meaning
        /// The times of control points look as if they counted from the start of the pattern.
        case absoluteLookingCurveTimes = "absolute-looking-curve-times"
        /// A continuous event is longer than the maximum that Apple documents.
        case continuousOver30Seconds = "continuous-over-30s"
        /// A curve has more points than Apple's editor makes.
        case curveOver16 = "curve-over-16"
        /// An event that never decays has a `DecayTime`.
        case decayWhileSustained = "decay-while-sustained"
        /// A continuous event plays until it is stopped.
        case endlessEvent = "endless-event"
        /// A pattern is felt without a pause for longer than people find comfortable.
        case longWithoutPause = "long-without-pause"
        /// There are many taps a second for longer than people find useful.
        case manyClicks = "many-clicks"
        /// There are more taps in one second than can be felt separately.
        case manyTaps = "many-taps"
        /// A key or parameter has no effect on this type of event.
        case notApplicable = "not-applicable"
        /// The pattern has no haptic events.
        case nothingPlays = "nothing-plays"
        /// A transient has a duration, which lengthens only the pattern.
        case paddedTransient = "padded-transient"
        /// A long pattern has pauses, but is felt most of the time.
        case rarelyAtRest = "rarely-at-rest"
        /// A transient has an envelope parameter but no envelope.
        case rampOnTransient = "ramp-on-transient"
        /// Transients play under a sharpness control, where the sources contradict each other.
        case transientUnderSharpnessCurve = "transient-under-sharpness-curve"

        /// The severity that a diagnostic of this rule has in lenient mode.
        ///
        /// The line between repair and note: a repair changes or drops something that the file
        /// says and that Core Haptics' grammar does not allow. A duplicate key is legal JSON, and
        /// a parameter that an event type does not listen to is legal AHAP: those are notes.
        public var normalSeverity: Severity {
            switch self {
            case .malformedJSON, .tooLarge, .wrongType, .missingPattern, .missingKey,
                .unknownEventType, .illegalNumber, .illegalTime, .illegalDuration:
                .error
            case .trailingComma, .comment, .byteOrderMark, .missingValue, .unknownKey,
                .unknownEntry, .mixedEntry, .unknownParameterID, .misspelledName, .clampedValue,
                .emptyCurve, .unsortedCurve, .unreachablePoint, .absoluteCurveTimes:
                .repair
            case .duplicateKey, .duplicateParameter, .newerVersion, .absoluteLookingCurveTimes,
                .continuousOver30Seconds, .curveOver16, .decayWhileSustained,
                .endlessEvent, .longWithoutPause, .manyClicks, .manyTaps, .notApplicable,
                .nothingPlays, .paddedTransient, .rampOnTransient, .rarelyAtRest,
                .transientUnderSharpnessCurve:
                .note
            }
        }
    }
}

extension Diagnostic {
    /// A diagnostic on the text of a file.
    init(_ finding: JSONDiagnostic) {
        self.init(
            rule: Rule(finding.rule), severity: finding.isRepair ? .repair : .note,
            location: finding.location, message: finding.message, advice: finding.advice,
            fix: finding.skippedBytes.map(Fix.removeBytes))
    }
}

extension Diagnostic.Rule {
    /// The rule of a file that a rule of JSON text is.
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
    /// By line and column, those at one location in the order of finding; those without one first.
    var inFileOrder: [Diagnostic] {
        sorted {
            ($0.location?.line ?? 0, $0.location?.column ?? 0)
                < ($1.location?.line ?? 0, $1.location?.column ?? 0)
        }
    }
}
