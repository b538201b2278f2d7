// Tests of the linter's notes about constructs that are legal but may have unintended effects.

import AHAP
import HapticPatterns
import JSONText
import TestSupport
import Testing

struct AHAPLinterTests {
    private static let continuous = "\"EventType\": \"HapticContinuous\", \"EventDuration\": 1"
    private static let id = "HapticIntensityControl"

    private static func points(_ count: Int) -> String {
        let points = (0..<count).map { "{\"Time\": 0.\($0 + 10), \"ParameterValue\": 1}" }
        return "{\"ParameterCurve\": {\"ParameterID\": \"\(id)\", "
            + "\"ParameterCurveControlPoints\": [\(points.joined(separator: ","))]}}"
    }

    /// Returns `count` taps as entries of `Pattern`, at intervals of `distance` milliseconds.
    private static func taps(_ count: Int, apart distance: Int) -> String {
        (0..<count).map { index in
            let milliseconds = "\(1_000 + index * distance % 1_000)".dropFirst()
            let time = "\(index * distance / 1_000).\(milliseconds)"
            return "{\"Event\": {\"EventType\": \"HapticTransient\", \"Time\": \(time)}}"
        }.joined(separator: ",")
    }

    @Test(arguments: [
        ("", "without EventDuration:"), (", \"EventDuration\": 0", "with an EventDuration of 0:"),
    ]) func distinguishesADurationOf0FromNone(duration: String, words: String) {
        let text = pattern(event("\"EventType\": \"HapticContinuous\"" + duration))
        let diagnostics = AHAPLinter.lint(bytes(text))
        #expect(diagnostics.map(\.rule) == [.endlessEvent])
        #expect(diagnostics.allSatisfy { $0.message.contains(words) }, "\(diagnostics)")
    }

    private static let notes: [(String, [Diagnostic.Rule])] = [
        (pattern(tap), []),
        (pattern(event(continuous)), []),
        (
            pattern(event("\"EventType\": \"HapticTransient\", \"EventDuration\": 1")),
            [.paddedTransient]
        ),
        (pattern(event("\"EventType\": \"HapticTransient\", \"EventDuration\": 0")), []),
        (
            pattern(
                event(
                    "\"EventType\": \"HapticTransient\", \"EventParameters\": ["
                        + parameter("AttackTime", "0.5") + "]")), [.rampOnTransient]
        ),
        (
            pattern(
                event(
                    "\"EventType\": \"HapticTransient\", \"EventParameters\": ["
                        + parameter("AudioVolume", "0.5") + "]")), [.notApplicable]
        ),
        (pattern(event(continuous + ", \"EventWaveformPath\": \"a.wav\"")), [.notApplicable]),
        (
            pattern(
                event(
                    continuous + ", \"EventParameters\": [" + parameter("HapticIntensity", "1")
                        + "," + parameter("HapticIntensity", "0.5") + "]")), [.duplicateParameter]
        ),
        (
            pattern(
                event(continuous + ", \"EventParameters\": [" + parameter("DecayTime", "0.5") + "]")
            ),
            [.decayWhileSustained]
        ),
        (
            pattern(
                event(
                    continuous + ", \"EventParameters\": [" + parameter("DecayTime", "0.5") + ","
                        + parameter("Sustained", "0") + "]")), []
        ),
        (pattern(event("\"EventType\": \"HapticContinuous\"")), [.endlessEvent]),
        (
            pattern(event("\"EventType\": \"HapticContinuous\", \"EventDuration\": 30")),
            [.longWithoutPause]
        ),
        (
            pattern(event("\"EventType\": \"HapticContinuous\", \"EventDuration\": 30.001")),
            [.continuousOver30Seconds, .longWithoutPause]
        ),
        (pattern(taps(60, apart: 10)), []),
        (pattern(taps(61, apart: 10)), [.manyTaps]),
        // The limit is 60 taps, plus 8 taps for each second between the first tap and the last tap.
        (pattern(taps(87, apart: 40)), []),
        (pattern(taps(88, apart: 40)), [.manyClicks]),
        (
            pattern(
                (0..<4).map { continuous(at: "\($0 * 2)", for: "1.75") }.joined(separator: ",")),
            [.rarelyAtRest]
        ),
        (
            pattern((0..<4).map { continuous(at: "\($0 * 2)", for: "1.5") }.joined(separator: ",")),
            []
        ),
        (pattern(tap, event("\"EventType\": \"AudioContinuous\"")), []),
        (pattern(event("\"EventType\": \"AudioCustom\"")), [.nothingPlays]),
        (pattern(tap, points(16)), []),
        (pattern(tap, points(17)), [.curveOver16]),
        (
            pattern(tap, curve("HapticSharpnessControl", "0", ("0", "0.5"))),
            [.transientUnderSharpnessCurve]
        ),
        (pattern(tap, curve("HapticSharpnessControl", "1", ("0", "0.5"))), []),
        (pattern(event(continuous), curve("HapticSharpnessControl", "0", ("0", "0.5"))), []),
        ("{\"Version\": 2, \"Pattern\": [\(tap)]}", [.newerVersion]),
        ("{\"Version\": 1, \"Version\": 1, \"Pattern\": [\(tap)]}", [.duplicateKey]),
        (pattern(tap, curve(id, "1", ("1", "0.5"))), [.absoluteLookingCurveTimes]),
        (taps(at: "0", "120", "340"), [.millisecondTimes]),
        (taps(at: "0", "120.5", "340"), []),
        (taps(at: "0", "9", "340"), []),
        (taps(at: "10", "30"), []),
        (taps(at: "0", "600"), []),
    ]

    private static func taps(at times: String...) -> String {
        pattern(
            times.map { event("\"EventType\": \"HapticTransient\", \"Time\": \($0)") }
                .joined(separator: ","))
    }

    @Test(arguments: notes)
    func notesAreNoReasonToRefuse(
        _ text: String, _ rules: [Diagnostic.Rule]
    ) throws {
        let diagnostics = AHAPLinter.diagnostics(on: try read(text, strict: true))
        #expect(diagnostics.map(\.rule) == rules)
        #expect(diagnostics.allSatisfy { $0.severity == .note && !$0.advice.isEmpty })
        #expect(AHAPLinter.lint(bytes(text)) == diagnostics)
    }

    @Test func everyNoteHasATest() {
        #expect(
            Set(Self.notes.flatMap(\.1))
                == Set(Diagnostic.Rule.allCases.filter { $0.normalSeverity == .note }))
    }

    private static func continuous(at time: String, for length: String) -> String {
        "{\"Event\": {\"EventType\": \"HapticContinuous\", \"Time\": \(time), "
            + "\"EventDuration\": \(length)}}"
    }

    private static let stretches: [(entries: String, isLong: Bool)] = [
        // The first pattern lasts exactly five seconds, and the second pattern one microsecond
        // more.
        (continuous(at: "0", for: "5"), false),
        (continuous(at: "0", for: "5.000001"), true),
        // A gap of 0.2 s counts as a pause; a shorter gap does not.
        (continuous(at: "0", for: "3") + "," + continuous(at: "3.2", for: "3"), false),
        (continuous(at: "0", for: "3") + "," + continuous(at: "3.199999", for: "3"), true),
        // A control that remains at 0 counts as a pause; a control that only passes through 0 does
        // not.
        (
            continuous(at: "0", for: "8") + ","
                + curve(id, "3", ("0", "0"), ("1", "0"), ("1", "1")), false
        ),
        (
            continuous(at: "0", for: "8") + ","
                + curve(id, "3", ("0", "1"), ("1", "0"), ("2", "1")), true
        ),
        // The same limits apply to a series of taps: taps 0.2 s apart have pauses between them.
        (taps(27, apart: 199), true), (taps(27, apart: 200), false),
    ]

    @Test(arguments: stretches)
    func whatLastsLongerThanFiveSecondsWithoutAPauseIsAdvisedAgainst(
        _ entries: String, _ isLong: Bool
    ) throws {
        let rules = AHAPLinter.lint(bytes(pattern(entries))).map(\.rule)
        #expect(rules.contains(.longWithoutPause) == isLong)
    }

    @Test func adviceNamesTheStretchAndItsFirstEvent() throws {
        let entries = [
            Self.continuous(at: "0", for: "1"), "\n" + Self.continuous(at: "2", for: "6.25"),
            "\n" + Self.continuous(at: "10", for: "7"),
        ].joined(separator: ",")
        let note = try #require(AHAPLinter.lint(bytes(pattern(entries))).first)
        #expect(note.location?.line == 2)
        #expect(
            note.message
                == "the pattern is felt from 2.0 s to 8.25 s without a pause of 0.2 s, the first of 2 such intervals"
        )
    }

    /// Checks that the linter finds neither overlong intervals without a pause nor too many taps in
    /// Apple's own sample patterns.
    @Test(
        .enabled(if: !SharedFiles.ahap.isEmpty, "the folder shared/ahap is missing"),
        arguments: SharedFiles.ahap.filter {
            $0.hasPrefix("apple__") || $0.contains("AppleHapticSampler")
        })
    func applesOwnPatternsGetNoAdvice(name: String) throws {
        let rules = AHAPLinter.lint(try SharedFiles.bytes(name, in: "ahap")).map(\.rule)
        #expect(!rules.contains(.longWithoutPause) && !rules.contains(.manyTaps))
    }

    @Test func longCurvesAndLongEventsArePlayedInFull() throws {
        let long = event("\"EventType\": \"HapticContinuous\", \"EventDuration\": 175.5")
        let result = try read(pattern(long, Self.points(60)))
        #expect(result.pattern.events[0].length == 175_500_000)
        #expect(result.pattern.curves[0].points.count == 60)
    }

    @Test func aRefusedFileStillSaysWhatWasFoundBefore() {
        let diagnostics = AHAPLinter.lint(bytes("// note\n{\"Pattern\": [\n {\"Event\": {}}]}"))
        #expect(diagnostics.map(\.rule) == [.comment, .missingKey])
        #expect(diagnostics.map(\.severity) == [.repair, .error])
        #expect(diagnostics.map(\.location?.line) == [1, 3])
    }

    @Test func allErrorsOfAFileAreFoundAtOnce() {
        let file = pattern(
            "\n"
                + event(
                    "\"EventType\": \"HapticTransiant\", \"EventParameters\": [{\"ParameterID\": "
                        + "\"HapticIntensty\"}, 5, {\"ParameterID\": 7}]"),
            "\n" + event("\"EventType\": \"HapticTransient\", \"Time\": -1"),
            "\n5", "\n" + event("\"Time\": \"x\", \"EventDuration\": []"),
            "\n" + event("\"EventType\": \"HapticContinuous\", \"EventDuration\": -2"))
        let diagnostics = AHAPLinter.lint(bytes(file))
        #expect(
            diagnostics.map(\.rule) == [
                .unknownEventType, .unknownParameterID, .wrongType, .wrongType, .illegalTime,
                .wrongType, .missingKey, .wrongType, .wrongType, .illegalDuration,
            ])
        #expect(diagnostics.count { $0.severity == .error } == 9)
        #expect(diagnostics.map { $0.location?.line ?? 0 } == [2, 2, 2, 2, 3, 4, 5, 5, 5, 6])
        #expect(diagnostics[0].advice == "write \"HapticTransient\", if that is what you mean")
        // The reader stops at the first error.
        #expect(throws: AHAPError.self) { try AHAPReader.read(bytes(file)) }
    }

    @Test func aFileWithNothingButErrorsIsNotCalledEmpty() {
        let diagnostics = AHAPLinter.lint(bytes(pattern(event("\"EventType\": \"Buzz\""))))
        #expect(diagnostics.map(\.rule) == [.unknownEventType])
    }

    @Test func remarksComeInOrderOfTheFile() throws {
        let file = pattern(
            "\n" + event("\"EventType\": \"hapticTransient\", \"Name\": 1,"), "\n" + tap
        )
        .replacing("}]", with: ",}]")
        let lines = AHAPLinter.lint(bytes(file)).map { $0.location?.line ?? 0 }
        #expect(lines == lines.sorted())
    }

    @Test func aLineCanBeClickedInAnEditor() {
        let diagnostic = AHAPLinter.lint(bytes(pattern(tap, "\n{\"Parameters\": 1}")))
        #expect(
            diagnostic.map { $0.line(file: "a.ahap") } == [
                "a.ahap:2:1: repair: an entry without the key Event, Parameter or ParameterCurve is ignored"
                    + " [unknown-entry]",
                "a.ahap:2:2: repair: the key \"Parameters\" is unknown and is ignored"
                    + " [unknown-key]",
            ])
        let placeless = AHAPLinter.notes(on: HapticPattern()).map { $0.line(file: "a.ahap") }
        #expect(placeless == ["a.ahap: note: the pattern has no haptic event [nothing-plays]"])
    }

    @Test func aPatternOfOnlySoundsHasANoteAtItsFirstEvent() {
        let notes = AHAPLinter.lint(bytes(pattern("\n" + event("\"EventType\": \"AudioCustom\""))))
        #expect(notes.map(\.rule) == [.nothingPlays])
        #expect(notes[0].location == SourceLocation(line: 2, column: 11, entryIndex: 0))
    }

    @Test func rulesOfJSONHaveTheSameNamesAsInAHAP() {
        let names = Diagnostic.Rule.allCases.map(\.rawValue)
        #expect(JSONDiagnostic.Rule.allCases.allSatisfy { names.contains($0.rawValue) })
    }

    @Test func ruleNamesAreKebabCase() {
        for rule in Diagnostic.Rule.allCases {
            #expect(
                rule.rawValue.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".contains($0) })
        }
    }
}
