// What reading a file has to say: repairs and notes, each with its place and what to do about it.

/// One remark on an AHAP file.
public struct Diagnostic: Sendable, Hashable {
    /// How much a remark matters.
    public enum Severity: String, Sendable, CaseIterable {
        /// The file was refused.
        case error
        /// The file was read as something that it does not quite say. Refused in strict mode.
        case repair
        /// The file is legal here, and means what it says; something about it is worth knowing.
        case note
    }

    /// What is remarked, as a name that stays the same whatever the message says.
    public var rule: Rule
    /// How much it matters.
    public var severity: Severity
    /// Where; nil for a pattern that came from no file.
    public var place: SourcePlace?
    /// What was found, in one sentence without a full stop.
    public var message: String
    /// What to do about it, in one sentence without a full stop.
    public var advice: String
    /// The change of the text that makes the remark go away and the meaning stay; nil where there is
    /// none, or the choice is the author's.
    var fix: Fix?

    /// `file:line:column: severity: message [rule]`, the form that editors make clickable.
    public func line(file: String) -> String {
        let position = place.map { "\(file):\($0)" } ?? file
        return "\(position): \(severity.rawValue): \(message) [\(rule.rawValue)]"
    }
}

extension Diagnostic {
    /// The name of a remark. ``normalSeverity`` tells repairs from notes.
    public enum Rule: String, Sendable, CaseIterable {
        // JSON
        /// The text is not JSON.
        case malformedJSON = "malformed-json"
        /// More bytes, entries, control points or repairs than are read.
        case tooLarge = "too-large"
        /// A comma before a closing bracket.
        case trailingComma = "trailing-comma"
        /// A `//` or `/* */` comment.
        case comment
        /// U+FEFF at the start of the file.
        case byteOrderMark = "byte-order-mark"
        /// A key occurs twice in an object; the last one counts.
        case duplicateKey = "duplicate-key"
        // Grammar
        /// A value is of another JSON type than its key asks for.
        case wrongType = "wrong-type"
        /// No `Pattern`, an empty one, or one of which nothing can be used.
        case missingPattern = "missing-pattern"
        /// An object lacks a key without which it means nothing.
        case missingKey = "missing-key"
        /// A parameter without a value takes its default.
        case missingValue = "missing-value"
        /// A key that AHAP does not have; ignored.
        case unknownKey = "unknown-key"
        /// An entry with none of the three keys; ignored.
        case unknownEntry = "unknown-entry"
        /// An entry with more than one of the three keys; all are taken.
        case mixedEntry = "mixed-entry"
        /// An event type that does not exist.
        case unknownEventType = "unknown-event-type"
        /// A parameter id that does not exist; ignored.
        case unknownParameterID = "unknown-parameter-id"
        /// A type or id that is right but for upper and lower case; taken.
        case misspelledName = "misspelled-name"
        /// An event gives a parameter twice; the last one counts.
        case duplicateParameter = "duplicate-parameter"
        /// `Version` is above 1.
        case newerVersion = "newer-version"
        // Values and times
        /// A value too large for a number.
        case illegalNumber = "illegal-number"
        /// A time below 0 or beyond one day.
        case illegalTime = "illegal-time"
        /// A duration below 0 or beyond one day.
        case illegalDuration = "illegal-duration"
        /// A value outside its range is put to the nearest inside.
        case clampedValue = "clamped-value"
        /// A curve without control points; ignored.
        case emptyCurve = "empty-curve"
        /// Control points out of order; put in order.
        case unsortedCurve = "unsorted-curve"
        /// A control point beyond one day; ignored.
        case unreachablePoint = "unreachable-point"
        /// Control points read from the start of the pattern; a note when asked for.
        case absoluteCurveTimes = "absolute-curve-times"
        // Meaning
        /// Control points that look as if counted from the start of the pattern.
        case absoluteLookingCurveTimes = "absolute-looking-curve-times"
        /// An audio event.
        case audioNotPlayed = "audio-not-played"
        /// A continuous event longer than Apple documents.
        case continuousOver30Seconds = "continuous-over-30s"
        /// A curve of more points than Apple's editor makes.
        case curveOver16 = "curve-over-16"
        /// `DecayTime` on an event that never decays.
        case decayWhileSustained = "decay-while-sustained"
        /// A continuous event that plays until it is stopped.
        case endlessEvent = "endless-event"
        /// Felt for longer than people stand, without a pause.
        case longWithoutPause = "long-without-pause"
        /// More taps in a second than can be told apart.
        case manyTaps = "many-taps"
        /// A key or parameter without effect on this type of event.
        case notApplicable = "not-applicable"
        /// A pattern without haptic events.
        case nothingPlays = "nothing-plays"
        /// A duration on a transient, which lengthens the pattern only.
        case paddedTransient = "padded-transient"
        /// An envelope parameter on a transient, which has no envelope.
        case rampOnTransient = "ramp-on-transient"
        /// Transients where the sources on sharpness controls contradict.
        case transientUnderSharpnessCurve = "transient-under-sharpness-curve"

        /// The severity that a remark of this rule has in lenient mode.
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
                .audioNotPlayed, .continuousOver30Seconds, .curveOver16, .decayWhileSustained,
                .endlessEvent, .longWithoutPause, .manyTaps, .notApplicable, .nothingPlays,
                .paddedTransient, .rampOnTransient,
                .transientUnderSharpnessCurve:
                .note
            }
        }
    }
}
