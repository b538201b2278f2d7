// Why a diagnostic matters: what a board does with it, and what an iPhone does.

extension Diagnostic.Rule {
    /// The effect of the finding here, on a board, in one sentence without a full stop.
    public var onBoard: String { reasons.board }

    /// The known effect of the finding on an iPhone, in one sentence without a full stop.
    public var onIPhone: String { reasons.iPhone }

    private var reasons: (board: String, iPhone: String) {
        switch self {
        case .tooLarge: ("the file does not play", "no limit is documented")
        case .malformedJSON, .wrongType, .missingPattern, .missingKey, .unknownEventType,
            .illegalNumber, .illegalTime, .illegalDuration:
            ("the file does not play", "the pattern is refused with an error")
        case .trailingComma, .comment, .byteOrderMark:
            ("it is skipped", "strict JSON readers refuse the file; do not rely on more")
        case .duplicateKey, .duplicateParameter:
            ("the last one is used", "which one is used is not documented")
        case .missingValue: ("the default is used", "the entry may be refused")
        case .unknownKey, .unknownEntry, .unknownParameterID:
            ("it is ignored and not felt", "it is ignored or refused")
        case .misspelledName:
            ("the name that differs only in case is used", "names are case-sensitive: refused")
        case .mixedEntry: ("all of it is used", "which part is used is not documented")
        case .newerVersion:
            ("it is read as version 1", "an older system does not know newer content")
        case .clampedValue:
            ("the nearest legal value plays", "the nearest legal value plays, as documented")
        case .emptyCurve, .unreachablePoint: ("it changes nothing", "the curve may be refused")
        case .unsortedCurve:
            ("the points are sorted", "points must be in order of time")
        case .absoluteCurveTimes, .absoluteLookingCurveTimes:
            (
                "times count from the pattern's start only if all curves of the file show it",
                "times always count from the curve's own time: such a curve is late"
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
            ("every point is used", "Apple's own editor stops at 16; longer curves are untested")
        case .decayWhileSustained: ("no effect", "no effect, as documented")
        case .endlessEvent:
            ("when a file is played, it ends after 30 s", "it plays until it is stopped")
        case .longWithoutPause:
            (
                "the actuator warms up: its energy budget may limit it",
                "the Human Interface Guidelines recommend short haptics, as long ones are tiring"
            )
        case .manyTaps:
            (
                "each replaces the one before it, so the actuator never comes to rest",
                "the Human Interface Guidelines warn of overuse"
            )
        case .manyClicks:
            (
                "people stop noticing them",
                "\"overusing the click haptic tends to diminish its utility\" (Human Interface Guidelines)"
            )
        case .rarelyAtRest:
            (
                "the actuator warms up, and people stop noticing it",
                "\"long-running haptics in an app can dilute the meaning of the feedback\" (Human"
                    + " Interface Guidelines)"
            )
        case .nothingPlays: ("nothing is felt", "nothing is felt")
        case .paddedTransient:
            (
                "only the end of the pattern moves",
                "only the end of the pattern, and of a loop, moves"
            )
        case .transientUnderSharpnessCurve:
            (
                "depends on --sharpness-curves: by default the transients keep their sharpness",
                "documented to keep it, observed to change"
            )
        default: ("no effect", "no effect")
        }
    }
}
