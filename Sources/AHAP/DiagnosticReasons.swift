// DiagnosticReasons: the effects of each kind of diagnosed problem on a board and on an iPhone.

extension Diagnostic.Rule {
    /// The effect of the problem when the pattern plays on a board, in one sentence without a
    /// period.
    public var onBoard: String { reasons.board }

    /// The known effect of the problem on an iPhone, in one sentence without a period.
    public var onIPhone: String { reasons.iPhone }

    private var reasons: (board: String, iPhone: String) {
        switch self {
        case .tooLarge: ("the file does not play", "no limit is documented")
        case .malformedJSON, .wrongType, .missingPattern, .missingKey, .unknownEventType,
            .illegalNumber, .illegalTime, .illegalDuration:
            ("the file does not play", "the pattern is refused with an error")
        case .malformedXML, .invalidContent, .notAPattern:
            ("the file does not play", "only AHAP files play")
        case .unplayableSound:
            (
                "the pattern plays without the sound",
                "the pattern is refused with an error if its app lacks the sound"
            )
        case .formatLoss: ("the rest of the pattern plays as designed", "only AHAP files play")
        case .trailingComma, .comment, .byteOrderMark:
            ("it is skipped", "strict JSON readers refuse the file")
        case .duplicateKey, .duplicateParameter:
            ("the last one is used", "it is not documented which one is used")
        case .missingValue: ("the default is used", "the entry may be refused")
        case .unknownKey, .unknownEntry, .unknownParameterID, .misplacedParameter:
            ("it is ignored", "it is ignored or refused")
        case .misspelledName:
            (
                "the name is read without regard to case",
                "names are case-sensitive: the file is refused"
            )
        case .mixedEntry: ("all parts are used", "it is not documented which part is used")
        case .newerVersion:
            ("it is read as version 1", "an older system does not support newer content")
        case .clampedValue:
            ("the nearest legal value plays", "the nearest legal value plays, as documented")
        case .emptyCurve, .unreachablePoint: ("it has no effect", "the curve may be refused")
        case .unsortedCurve:
            ("the points are sorted", "points must be in order of time")
        case .absoluteCurveTimes, .absoluteLookingCurveTimes:
            (
                "times are relative to the start of the pattern only if all curves of the file indicate this",
                "times are always relative to the start of the curve: such a curve plays too late"
            )
        default: reasonsOfNotes
        }
    }

    private var reasonsOfNotes: (board: String, iPhone: String) {
        switch self {
        case .continuousOver30Seconds:
            (
                "it plays in full, within the actuator's energy budget",
                "30 s is the documented maximum"
            )
        case .curveOver16:
            (
                "every point is used",
                "Apple's editor allows at most 16 points; longer curves are untested"
            )
        case .decayWhileSustained: ("no effect", "no effect, as documented")
        case .endlessEvent:
            ("when a file is played, it ends after 30 s", "it plays until it is stopped")
        case .longWithoutPause:
            (
                "the actuator warms up: its energy budget may limit it",
                "the Human Interface Guidelines recommend short haptics, "
                    + "because long ones are tiring"
            )
        case .manyTaps:
            (
                "each tap cuts off the previous one, so the actuator never comes to rest",
                "the Human Interface Guidelines warn of overuse"
            )
        case .manyClicks:
            (
                "people stop noticing the taps",
                "\"overusing the click haptic tends to diminish its utility\" (Human Interface Guidelines)"
            )
        case .rarelyAtRest:
            (
                "the actuator warms up, and people stop noticing the haptics",
                "\"long-running haptics in an app can dilute the meaning of the feedback\" (Human"
                    + " Interface Guidelines)"
            )
        case .millisecondTimes:
            ("the events are minutes apart", "times are always seconds")
        case .nothingPlays: ("nothing is felt", "nothing is felt")
        case .paddedTransient:
            (
                "the pattern ends later; nothing else changes",
                "the pattern and its loop end later; nothing else changes"
            )
        case .transientUnderSharpnessCurve:
            (
                "the effect depends on --sharpness-curves: by default, the "
                    + "transients keep their sharpness",
                "according to Apple, the transients keep their sharpness, but in "
                    + "observations it changed"
            )
        default: ("no effect", "no effect")
        }
    }
}
