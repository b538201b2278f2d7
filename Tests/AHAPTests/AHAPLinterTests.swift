// Notes: what is legal, and worth knowing all the same.

import AHAP
import Testing

struct AHAPLinterTests {
    private static let continuous = "\"EventType\": \"HapticContinuous\", \"EventDuration\": 1"
    private static let id = "HapticIntensityControl"

    private static func points(_ count: Int) -> String {
        let points = (0..<count).map { "{\"Time\": 0.\($0 + 10), \"ParameterValue\": 1}" }
        return "{\"ParameterCurve\": {\"ParameterID\": \"\(id)\", "
            + "\"ParameterCurveControlPoints\": [\(points.joined(separator: ","))]}}"
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
        (pattern(event("\"EventType\": \"HapticContinuous\", \"EventDuration\": 30")), []),
        (
            pattern(event("\"EventType\": \"HapticContinuous\", \"EventDuration\": 30.001")),
            [.continuousOver30Seconds]
        ),
        (pattern(tap, event("\"EventType\": \"AudioContinuous\"")), [.audioNotPlayed]),
        (pattern(event("\"EventType\": \"AudioCustom\"")), [.nothingPlays, .audioNotPlayed]),
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
    ]

    @Test(arguments: notes)
    func whatIsWorthKnowingIsNotedAndNoReasonToRefuse(
        _ text: String, _ rules: [Diagnostic.Rule]
    ) throws {
        let diagnostics = try read(text, strict: true).diagnostics
        #expect(diagnostics.map(\.rule) == rules)
        #expect(diagnostics.allSatisfy { $0.severity == .note && !$0.advice.isEmpty })
        #expect(AHAPLinter.lint(bytes(text)) == diagnostics)
    }

    @Test func everyNoteHasATest() {
        #expect(
            Set(Self.notes.flatMap(\.1))
                == Set(Diagnostic.Rule.allCases.filter { $0.normalSeverity == .note }))
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
        #expect(diagnostics.map(\.place?.line) == [1, 3])
    }

    @Test func remarksComeInOrderOfTheFile() throws {
        let file = pattern(
            "\n" + event("\"EventType\": \"hapticTransient\", \"Name\": 1,"), "\n" + tap
        )
        .replacing("}]", with: ",}]")
        let lines = AHAPLinter.lint(bytes(file)).map { $0.place?.line ?? 0 }
        #expect(lines == lines.sorted())
    }

    @Test func aLineCanBeClickedInAnEditor() {
        let diagnostic = AHAPLinter.lint(bytes(pattern(tap, "\n{\"Parameters\": 1}")))
        #expect(
            diagnostic.map { $0.line(file: "a.ahap") } == [
                "a.ahap:2:1: repair: an entry without Event, Parameter or ParameterCurve is ignored"
                    + " [unknown-entry]",
                "a.ahap:2:2: repair: the key \"Parameters\" is not known here and is ignored"
                    + " [unknown-key]",
            ])
        let placeless = AHAPLinter.notes(on: HapticPattern()).map { $0.line(file: "a.ahap") }
        #expect(placeless == ["a.ahap: note: the pattern has no haptic event [nothing-plays]"])
    }

    @Test func ruleNamesAreKebabCase() {
        for rule in Diagnostic.Rule.allCases {
            #expect(
                rule.rawValue.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".contains($0) })
        }
    }
}
