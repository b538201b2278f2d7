// Why a remark matters: what a board does with it, and what an iPhone does.

extension Diagnostic.Rule {
    /// What becomes of it here, on a board, in one sentence without a full stop.
    public var onBoard: String { reasons.board }

    /// What is known of it on an iPhone, in one sentence without a full stop.
    public var onIPhone: String { reasons.iPhone }

    private var reasons: (board: String, iPhone: String) {
        switch self {
        case .tooLarge: ("the file does not play", "no limit is documented")
        case .malformedJSON, .wrongType, .missingPattern, .missingKey, .unknownEventType,
            .illegalNumber, .illegalTime, .illegalDuration:
            ("the file does not play", "the pattern is refused with an error")
        case .trailingComma, .comment, .byteOrderMark:
            ("it is read past", "strict JSON readers refuse the file; do not rely on more")
        case .duplicateKey, .duplicateParameter:
            ("the last one counts", "which one counts is not documented")
        case .missingValue: ("the default is taken", "the entry may be refused")
        case .unknownKey, .unknownEntry, .unknownParameterID:
            ("it is ignored, and nothing of it is felt", "it is ignored or refused")
        case .misspelledName:
            ("the name that differs in case only is taken", "names are case-sensitive: refused")
        case .mixedEntry: ("all of it is taken", "which part counts is not documented")
        case .newerVersion:
            ("it is read as version 1", "an older system does not know what is new")
        case .clampedValue:
            ("the nearest legal value plays", "the nearest legal value plays, as documented")
        case .emptyCurve, .unreachablePoint: ("it changes nothing", "the curve may be refused")
        case .unsortedCurve:
            ("the points are put in order", "points are expected in order of time")
        case .absoluteCurveTimes, .absoluteLookingCurveTimes:
            (
                "read from the pattern's start only where all curves of the file show it",
                "always read from the curve's own time: such a curve comes late"
            )
        default: reasonsOfNotes
        }
    }

    private var reasonsOfNotes: (board: String, iPhone: String) {
        switch self {
        case .audioNotPlayed: ("a board has no loudspeaker", "it is heard")
        case .continuousOver30Seconds:
            ("it plays in full, within the actuator's energy budget", "30 s is the documented most")
        case .curveOver16:
            ("every point counts", "Apple's own editor stops at 16; longer curves are untested")
        case .decayWhileSustained: ("no effect", "no effect, as documented")
        case .endlessEvent:
            ("a file that is played ends it after 30 s", "it plays until it is stopped")
        case .longWithoutPause:
            (
                "the actuator warms: its energy budget may hold it back",
                "the Human Interface Guidelines ask for short haptics: long ones tire"
            )
        case .manyTaps:
            (
                "each replaces the one before it, and the actuator never comes to rest",
                "the Human Interface Guidelines warn of overuse"
            )
        case .nothingPlays: ("nothing is felt", "nothing is felt")
        case .paddedTransient:
            (
                "only the end of the pattern moves",
                "only the end of the pattern, and of a loop, moves"
            )
        case .transientUnderSharpnessCurve:
            (
                "as --sharpness-curves says: by default the transients keep their sharpness",
                "documented to keep it, seen to change"
            )
        default: ("no effect", "no effect")
        }
    }
}
