// Tests of the grammar of AHAP: the texts that are read, repaired or rejected, and the location of
// each repair and error.

import AHAP
import HapticPatterns
import JSONText
import Testing

struct GrammarTests {
    @Test func readsEveryKeyOfAnEvent() throws {
        let result = try read(
            pattern(
                event(
                    """
                    "Time": 0.25, "EventType": "AudioCustom", "EventDuration": 2,
                    "EventWaveformPath": "a/b.wav", "EventWaveformUseVolumeEnvelope": false,
                    "EventWaveformLoopEnabled": true, "EventParameters": [
                    \(parameter("AudioVolume", "0.5")), \(parameter("AudioPitch", "-0.5")),
                    \(parameter("AudioPan", "1")), \(parameter("AttackTime", "0.1"))]
                    """)), strict: true)
        let audio = AudioAttributes(
            volume: 0.5, pitch: -0.5, pan: 1, waveformPath: "a/b.wav", usesVolumeEnvelope: false,
            isLoopEnabled: true)
        #expect(
            result.pattern.events == [
                HapticEvent(
                    .audioCustom, time: 250_000, duration: 2_000_000,
                    envelope: Envelope(attackTime: 0.1), audio: audio)
            ])
        #expect(result.pattern.events[0].intensity == 0)
    }

    @Test func readsVersionMetadataParametersAndCurves() throws {
        let result = try read(
            """
            {"Version": 1, "Metadata": {"Project": "p"}, "Pattern": [
            {"Parameter": {"ParameterID": "HapticIntensityControl", "Time": 1.5,
              "ParameterValue": 0.25}},
            \(curve("AudioPitchControl", "2", ("0", "-1"), ("0.5", "1"))), \(tap)]}
            """, strict: true)
        #expect(result.document.version == 1)
        #expect(
            result.document.metadata
                == JSONValue(.object(.init([.init("Project", .init(.string("p")))]))))
        #expect(
            result.pattern.parameters == [
                .init(.hapticIntensityControl, time: 1_500_000, value: 0.25)
            ])
        #expect(
            result.pattern.curves == [
                HapticParameterCurve(
                    .audioPitchControl, time: 2_000_000,
                    points: [.init(time: 0, value: -1), .init(time: 500_000, value: 1)])
            ])
    }

    @Test func placesNameTheLineAndTheIndexInThePattern() throws {
        let result = try read("{\"Pattern\": [\n \(tap),\n \(tap)]}")
        #expect(
            result.pattern.events.map(\.location)
                == [
                    .init(line: 2, column: 12, entryIndex: 0),
                    .init(line: 3, column: 12, entryIndex: 1),
                ])
    }

    // MARK: Repairs

    private static let transient = "\"EventType\": \"HapticTransient\""
    private static let id = "HapticIntensityControl"

    private static func transient(with parameter: String) -> String {
        pattern(event("\(transient), \n\"EventParameters\": [\(parameter)]"))
    }

    /// Files, each with the repair that it needs and the part of the file that is repaired.
    private static let repairs: [(String, Diagnostic.Rule, String)] = [
        ("{\"Pattern\":\n[\(tap),]}", .trailingComma, ",]"),
        ("{\"Pattern\": [\(tap)],\n \"Extra\": 1}", .unknownKey, "\"Extra\""),
        (pattern(tap, event("\n\(transient), \"Name\": 1")), .unknownKey, "\"Name\""),
        (pattern(tap, "\n{\"Other\": 1}"), .unknownEntry, "{\"Other\""),
        (pattern(tap, "\n{}"), .unknownEntry, "{}"),
        (pattern(both), .mixedEntry, both),
        (pattern(event("\n\"EventType\": \"hapticTransient\"")), .misspelledName, "\"hapticT"),
        (transient(with: parameter("hapticIntensity", "1")), .misspelledName, "\"hapticI"),
        (transient(with: parameter("HapticAttackTime", "1")), .unknownParameterID, "\"HapticA"),
        (transient(with: parameter("HapticIntensity", "4.64")), .clampedValue, "4.64"),
        (
            transient(with: "{\"ParameterID\": \"HapticIntensity\"}"), .missingValue,
            "{\"ParameterID\""
        ),
        (
            pattern(tap, curve("HapticIntensity", "0", ("0", "1"))), .misplacedParameter,
            "\"HapticIntensity\""
        ),
        (transient(with: parameter(id, "1")), .misplacedParameter, "\"HapticIntensityControl\""),
        (pattern(tap, curve(id, "0")), .emptyCurve, "{\"ParameterID\""),
        (pattern(tap, curve(id, "0", ("0", "\n-0.001"))), .clampedValue, "-0.001"),
        (
            pattern(tap, curve(id, "0", ("1", "0"), ("0.5", "1"))), .unsortedCurve,
            "{\"Time\": 0.5"
        ),
        (pattern(tap, curve(id, "0", ("0", "0"), ("\n3.4e38", "1"))), .unreachablePoint, "3.4e38"),
        (
            pattern(tap, "\n" + curve(id, "1", ("1", "0")), curve(id, "2", ("2", "0"))),
            .absoluteCurveTimes, "{\"ParameterID\""
        ),
    ]

    private static let both =
        "{\"Event\": {\(transient)}, " + curve(id, "0", ("0", "1")).dropFirst()

    @Test(arguments: repairs)
    func lenientModeRepairsAndSaysWhere(
        _ text: String, _ rule: Diagnostic.Rule, _ part: String
    ) throws {
        let repairs = try read(text).diagnostics.filter { $0.severity == .repair }
        // A wrong key in place of Event causes two repairs, because the entry has no content and
        // the key is unknown.
        #expect(repairs.first.map(Remark.init) == Remark(rule, on: part, of: text))
        #expect(repairs.allSatisfy { !$0.advice.isEmpty && $0.rule.normalSeverity == .repair })
    }

    @Test(arguments: repairs)
    func strictModeRefusesWhatLenientModeRepairs(
        _ text: String, _ rule: Diagnostic.Rule, _ part: String
    ) {
        let remark = refusal(text, strict: true).map { Remark($0.diagnostic) }
        #expect(remark == Remark(rule, on: part, of: text))
    }

    @Test func everyRepairHasATest() {
        let jsonOnly: Set<Diagnostic.Rule> = [.comment, .byteOrderMark]
        let tested = Set(Self.repairs.map(\.1)).union(jsonOnly)
        #expect(tested == Set(Diagnostic.Rule.allCases.filter { $0.normalSeverity == .repair }))
    }

    @Test(arguments: [
        ("Duration", "EventDuration"), ("time", "Time"), ("eventtype", "EventType"),
    ])
    func aKnownMisspellingOfAKeyIsIgnoredWithASuggestion(_ key: String, _ meant: String) throws {
        let result = try read(pattern(event("\"EventType\": \"HapticTransient\", \"\(key)\": 9")))
        #expect(result.diagnostics.first?.advice == "write \"\(meant)\", if that is what you mean")
        #expect(result.pattern.events == [HapticEvent(.hapticTransient, time: 0)])
    }

    @Test(arguments: [("HapticReleaseTime", "ReleaseTime"), ("HapticSharpnes", "HapticSharpness")])
    func anInventedIDIsIgnoredWithASuggestion(_ id: String, _ meant: String) throws {
        let parameters = "\"EventParameters\": [\(parameter(id, "0.5"))]"
        let result = try read(
            pattern(
                event("\"EventType\": \"HapticContinuous\", \"EventDuration\": 1, \(parameters)")))
        #expect(result.diagnostics.map(\.rule) == [.unknownParameterID])
        #expect(result.diagnostics[0].advice == "write \"\(meant)\", if that is what you mean")
        #expect(result.pattern.events == [.init(.hapticContinuous, time: 0, duration: 1_000_000)])
    }

    /// Controls that are used in an event, and event parameters that are used as a control, each
    /// with the name that the author probably intended.
    private static let misplaced: [(text: String, remark: String, advice: String)] = [
        (
            transient(with: parameter("HapticAttackTimeControl", "1")),
            "\"HapticAttackTimeControl\" is a parameter of the whole pattern, not of an event, and is "
                + "ignored",
            "write \"AttackTime\" here, or put it into a \"Parameter\" or a \"ParameterCurve\" of "
                + "\"Pattern\""
        ),
        (
            transient(with: parameter("AudioPanControl", "1")),
            "\"AudioPanControl\" is a parameter of the whole pattern, not of an event, and is ignored",
            "write \"AudioPan\" here, or put it into a \"Parameter\" or a \"ParameterCurve\" of "
                + "\"Pattern\""
        ),
        (
            pattern(tap, curve("AttackTime", "0", ("0", "1"))),
            "\"AttackTime\" is a parameter of an event, not of the whole pattern, and is ignored",
            "write \"HapticAttackTimeControl\" here, or put it into the \"EventParameters\" of an event"
        ),
        (
            pattern(tap, "{\"Parameter\": \(parameter("Sustained", "1"))}"),
            "\"Sustained\" is a parameter of an event, not of the whole pattern, and is ignored",
            "put it into the \"EventParameters\" of an event"
        ),
    ]

    @Test(arguments: misplaced)
    func aParameterInTheWrongPlaceIsCalledThat(text: String, remark: String, advice: String) throws
    {
        let diagnostics = try read(text).diagnostics
        #expect(diagnostics.map(\.rule) == [.misplacedParameter])
        #expect(diagnostics.map(\.message) == [remark] && diagnostics.map(\.advice) == [advice])
    }

    @Test func anEntryWithBothGivesBoth() throws {
        let result = try read(pattern(Self.both))
        #expect(result.pattern.events.count == 1 && result.pattern.curves.count == 1)
    }

    // MARK: Errors

    /// Files that both modes reject, each with its error and the part of the file that causes the
    /// error.
    private static let refusals: [(String, AHAPError.Code, Diagnostic.Rule, String)] = [
        ("\n[]", .invalidPatternDictionary, .wrongType, "[]"),
        ("\n{}", .invalidPatternDictionary, .missingPattern, "{}"),
        ("{\"Pattern\": []}", .invalidPatternDictionary, .missingPattern, "[]"),
        ("{\"Pattern\": {}}", .invalidPatternDictionary, .wrongType, "{}"),
        ("{\"Pattern\": [1]}", .invalidPatternDictionary, .wrongType, "1"),
        ("{\"Version\": \"1.0\"}", .invalidPatternDictionary, .wrongType, "\"1.0\""),
        (pattern("{\"Event\": []}"), .badEventEntry, .wrongType, "[]"),
        (pattern("{\"Event\": null}"), .badEventEntry, .wrongType, "null"),
        (pattern(event("\"Time\": 0")), .invalidEventType, .missingKey, "{\"Time\""),
        (
            pattern(event("\"EventType\": \"Buzz\"")), .invalidEventType, .unknownEventType,
            "\"Buzz\""
        ),
        (pattern(event("\"EventType\": 1")), .invalidEventType, .wrongType, "1"),
        (pattern(event("\(transient), \"Time\": \"0\"")), .badEventEntry, .wrongType, "\"0\""),
        (pattern(event("\(transient), \"Time\": true")), .badEventEntry, .wrongType, "true"),
        (pattern(event("\(transient), \"Time\": -1e-9")), .invalidEventTime, .illegalTime, "-1e-9"),
        (pattern(event("\(transient), \"Time\": 1e999")), .invalidEventTime, .illegalTime, "1e999"),
        (
            pattern(event("\(transient), \"EventDuration\": -1")), .invalidEventDuration,
            .illegalDuration, "-1"
        ),
        (pattern(event("\(transient), \"EventParameters\": {}")), .badEventEntry, .wrongType, "{}"),
        (pattern(event("\(transient), \"EventWaveformPath\": 5")), .badEventEntry, .wrongType, "5"),
        (
            pattern(event("\(transient), \"EventWaveformLoopEnabled\": 5")), .badEventEntry,
            .wrongType, "5"
        ),
        (
            transient(with: parameter("HapticIntensity", "true")), .badParameterEntry, .wrongType,
            "true"
        ),
        (
            transient(with: parameter("HapticIntensity", "1e999")), .badParameterEntry,
            .illegalNumber, "1e999"
        ),
        (
            transient(with: "{\"ParameterValue\": 1}"), .badParameterEntry, .missingKey,
            "{\"ParameterValue\""
        ),
        (
            pattern("{\"Parameter\": {\"ParameterValue\": 1}}"), .badParameterEntry, .missingKey,
            "{\"ParameterValue\""
        ),
        (
            pattern("{\"Parameter\": {\"ParameterID\": \"\(id)\", \"Time\": -1}}"), .invalidTime,
            .illegalTime, "-1"
        ),
        (pattern(curve(id, "-1", ("0", "1"))), .invalidTime, .illegalTime, "-1"),
        (pattern(curve(id, "0", ("-1", "1"))), .invalidTime, .illegalTime, "-1"),
    ]

    @Test(arguments: refusals)
    func whatCannotBeMeantIsRefusedInEitherMode(
        _ text: String, _ code: AHAPError.Code, _ rule: Diagnostic.Rule, _ part: String
    ) {
        for strict in [false, true] {
            let error = refusal(text, strict: strict)
            #expect(error?.code == code)
            #expect(error.map { Remark($0.diagnostic) } == Remark(rule, on: part, of: text))
            #expect(error?.advice.isEmpty == false)
        }
    }

    @Test func everyErrorOfTheGrammarHasATest() {
        let tested = Set(Self.refusals.map(\.2)).union([.malformedJSON, .tooLarge])
            .union([.malformedXML, .invalidContent, .notAPattern])  // other formats
        #expect(tested == Set(Diagnostic.Rule.allCases.filter { $0.normalSeverity == .error }))
    }

    @Test func aPatternOfWhichNothingIsLeftIsRefused() {
        let error = refusal("{\"Pattern\": [{\"ParameterCurves\": {}}]}")
        #expect(error?.rule == .missingPattern)
        #expect(error?.location == SourceLocation(line: 1, column: 13))
    }

    @Test func theCodesAreThoseOfCoreHaptics() {
        #expect(
            AHAPError.Code.allCases.map(\.rawValue)
                == [-4813, -4814, -4820, -4821, -4822, -4823, -4830, -4831, -4840])
    }
}
