// Tests of patterns, events and parameters in code that is written as for Core Haptics.

import Foundation
import HapticBridge
import HapticPatterns
import TestSupport
import Testing

@Suite struct CHHapticPatternTests {
    private let tap = CHHapticEvent(
        eventType: .hapticTransient,
        parameters: [
            CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.9),
            CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.2),
        ], relativeTime: 0.1, duration: 10)

    @Test func anEventHasWhatItWasMadeOf() {
        #expect(tap.type == .hapticTransient)
        #expect(tap.relativeTime == 0.1 && tap.duration == 10)
        #expect(tap.eventParameters.map(\.parameterID) == [.hapticIntensity, .hapticSharpness])
        #expect(tap.eventParameters.map(\.value) == [0.9, 0.2])
    }

    @Test func whatIsChangedIsWithoutEffectOnPatternsThatWereMadeBefore() throws {
        let pattern = try CHHapticPattern(events: [tap], parameters: [])
        tap.relativeTime += 1
        tap.eventParameters[0].value = 0.1
        #expect(pattern.value.events.map(\.time) == [100_000])
        let event = try CHHapticPattern(events: [tap], parameters: []).value.events[0]
        #expect((event.time, event.intensity) == (1_100_000, 0.1))
    }

    @Test func valuesOutOfRangeAreTakenAsTheNearestInside() throws {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [
                CHHapticEventParameter(parameterID: .hapticIntensity, value: 4.64),
                CHHapticEventParameter(parameterID: .hapticSharpness, value: -1),
            ], relativeTime: 0, duration: 1)
        let parameter = CHHapticDynamicParameter(
            parameterID: .hapticSharpnessControl, value: -3, relativeTime: 0)
        let pattern = try CHHapticPattern(events: [event], parameters: [parameter]).value
        #expect(pattern.events[0].intensity == 1 && pattern.events[0].sharpness == 0)
        #expect(parameter.value == -3)
        #expect(pattern.parameters[0].value == -1)
    }

    @Test func durationReachesToTheEndOfTheLastEvent() throws {
        let late = CHHapticEvent(eventType: .hapticTransient, parameters: [], relativeTime: 12)
        #expect(try CHHapticPattern(events: [tap], parameters: []).duration == 10.1)
        #expect(try CHHapticPattern(events: [late, tap], parameters: []).duration == 12)
    }

    @Test func negativeTimesAreRefusedWithCoreHapticsCodes() {
        let early = CHHapticEvent(
            eventType: .hapticTransient, parameters: [], relativeTime: -0.1)
        #expect(
            code { _ = try CHHapticPattern(events: [early], parameters: []) } == .invalidEventTime)
        let short = CHHapticEvent(
            eventType: .hapticTransient, parameters: [], relativeTime: 0, duration: -1)
        #expect(
            code { _ = try CHHapticPattern(events: [short], parameters: []) }
                == .invalidEventDuration)
        let parameter = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: 1, relativeTime: -1)
        #expect(
            code { _ = try CHHapticPattern(events: [tap], parameters: [parameter]) }
                == .invalidTime)
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl,
            controlPoints: [.init(relativeTime: -1, value: 0)], relativeTime: 0)
        #expect(
            code { _ = try CHHapticPattern(events: [tap], parameterCurves: [curve]) }
                == .invalidTime)
    }

    @Test func aRefusalNamesTheEventOrTheParameter() {
        let late = CHHapticEvent(eventType: .hapticTransient, parameters: [], relativeTime: 1e9)
        let early = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: 1, relativeTime: -1)
        let message = { (body: () throws -> CHHapticPattern) -> String? in
            #expect(throws: CHHapticError.self) { _ = try body() }?.message
        }
        #expect(
            message { try CHHapticPattern(events: [tap, late], parameters: []) }
                == "events[1]: a time of 1000000000.0 s, beyond 86400 s; "
                + "times are seconds from 0 to 86400")
        #expect(
            message { try CHHapticPattern(events: [tap, tap], parameters: [early]) }
                == "parameters[0]: a negative time, -1.0 s; times are seconds from 0 to 86400")
    }

    @Test func whatIsNoNumberIsRefused() {
        let event = CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: .nan)],
            relativeTime: 0)
        #expect(
            code { _ = try CHHapticPattern(events: [event], parameters: []) }
                == .badParameterEntry)
        let never = CHHapticEvent(
            eventType: .hapticTransient, parameters: [], relativeTime: .infinity)
        #expect(
            code { _ = try CHHapticPattern(events: [never], parameters: []) } == .invalidEventTime)
    }

    @Test func aDictionaryOfCoreHapticsKeysIsAPattern() throws {
        let pattern = try CHHapticPattern(dictionary: [
            CHHapticPattern.Key.pattern: [
                [
                    CHHapticPattern.Key.event: [
                        CHHapticPattern.Key.eventType: CHHapticEvent.EventType.hapticContinuous,
                        CHHapticPattern.Key.time: 0.25,
                        CHHapticPattern.Key.eventDuration: 1,
                        CHHapticPattern.Key.eventParameters: [
                            [
                                CHHapticPattern.Key.parameterID:
                                    CHHapticEvent.ParameterID.hapticIntensity,
                                CHHapticPattern.Key.parameterValue: Float(0.8),
                            ]
                        ],
                    ]
                ]
            ]
        ])
        #expect(
            pattern.value.events == [
                HapticEvent(
                    .hapticContinuous, time: 250_000, duration: 1_000_000, intensity: 0.8)
            ])
    }

    @Test func dictionariesThatAreNoPatternAreRefused() {
        #expect(code { _ = try CHHapticPattern(dictionary: [:]) } == .invalidPatternDictionary)
        #expect(
            code { _ = try CHHapticPattern(dictionary: [.pattern: 1]) } == .invalidPatternDictionary
        )
        let entry: [CHHapticPattern.Key: Any] = [.event: [CHHapticPattern.Key.eventType: "Bang"]]
        #expect(
            code { _ = try CHHapticPattern(dictionary: [.pattern: [entry]]) } == .invalidEventType)
    }

    @Test func anExportedPatternIsReadAsTheSamePattern() throws {
        let pattern = try CHHapticPattern(
            events: [
                tap,
                CHHapticEvent(
                    eventType: .hapticContinuous,
                    parameters: [
                        .init(parameterID: .attackTime, value: 0.3),
                        .init(parameterID: .sustained, value: 0),
                    ], relativeTime: 0.5, duration: 0.25),
            ],
            parameterCurves: [
                CHHapticParameterCurve(
                    parameterID: .hapticIntensityControl,
                    controlPoints: [
                        .init(relativeTime: 0, value: 0.1), .init(relativeTime: 1, value: 1),
                    ], relativeTime: 0.5)
            ])
        #expect(try CHHapticPattern(dictionary: try pattern.exportDictionary()).means(pattern))
    }

    /// Checks random patterns, including curves whose first point has a relative time equal to the
    /// time of the curve. A reader might mistake a file with these curves for a file in which all
    /// times are relative to the start of the pattern.
    @Test(arguments: 0..<50)
    func aPatternThatIsExportedAndReadFromAFileIsTheSame(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pattern = try Self.pattern(using: &generator)
        let folder = Folder()
        let exported = try pattern.exportDictionary() as NSDictionary
        let json = try JSONSerialization.data(withJSONObject: exported)
        let url = try folder.write("exported.ahap", json)
        #expect(try CHHapticPattern(contentsOf: url).means(pattern))
        // Reads the file also as a dictionary, as some apps do.
        let object = try JSONSerialization.jsonObject(with: json)
        let dictionary = try #require(object as? [String: Any])
        let file = try CHHapticPattern(contentsOf: url)
        #expect(try CHHapticPattern(dictionary: dictionary).value == file.value)
    }

    private static func pattern(
        using generator: inout SeededGenerator
    ) throws -> CHHapticPattern {
        let events = (0..<10).map { _ in
            let type: CHHapticEvent.EventType = [
                .hapticTransient, .hapticContinuous, .audioContinuous,
            ].randomElement(using: &generator)!
            let event = CHHapticEvent(
                eventType: type,
                parameters: [
                    .init(
                        parameterID: .hapticIntensity, value: .random(in: 0...1, using: &generator)),
                    .init(
                        parameterID: .hapticSharpness, value: .random(in: 0...1, using: &generator)),
                ], relativeTime: .random(in: 0...10, using: &generator))
            if !generator.chance(oneIn: 3) {
                event.duration = .random(in: 0...5, using: &generator)
            }
            return event
        }
        let curves = (0..<3).map { _ in
            let time = TimeInterval.random(in: 0...3, using: &generator)
            return CHHapticParameterCurve(
                parameterID: .hapticIntensityControl,
                controlPoints: [time, time + 0.5, time + 0.6].map {
                    .init(relativeTime: $0, value: .random(in: 0...1, using: &generator))
                }, relativeTime: time)
        }
        return try CHHapticPattern(events: events, parameterCurves: curves)
    }

    @Test func aFileMeansWhatADictionaryOfTheSameContentDoes() throws {
        let folder = Folder()
        let curves = [1.5, 2.5].map { time in
            """
            {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": \(time),
             "ParameterCurveControlPoints": [{"Time": \(time), "ParameterValue": 0.5}]}}
            """
        }
        let url = try folder.write(
            "late.ahap", Data(#"{"Pattern": [\#(curves.joined(separator: ","))]}"#.utf8))
        let pattern = try CHHapticPattern(contentsOf: url)
        #expect(pattern.value.curves.map(\.end) == [3_000_000, 5_000_000])
    }

    @Test func aFileThatIsTooLargeIsRefusedBeforeItIsRead() throws {
        let folder = Folder()
        let url = try folder.write("large.ahap", Data())
        truncate(url.path, 1 << 40)
        let error = #expect(throws: HapticError.self) { _ = try CHHapticPattern(contentsOf: url) }
        #expect(error?.code == .invalidPatternData)
        #expect(error.map { "\($0)".contains("16777216") } == true)
    }

    @Test func aPatternWithRegisteredSoundsIsNotExported() throws {
        let event = CHHapticEvent(audioResourceID: 1, parameters: [], relativeTime: 0)
        let pattern = try CHHapticPattern(events: [event], parameters: [])
        #expect(code { _ = try pattern.exportDictionary() } == .operationNotPermitted)
    }

    @Test func aFileIsReadAndAMissingOneIsNamed() throws {
        let folder = Folder()
        let text = #"{"Pattern": [{"Event": {"EventType": "HapticTransient", "Time": 0.5}}]}"#
        let url = try folder.write("tap.ahap", Data(text.utf8))
        #expect(try CHHapticPattern(contentsOf: url).duration == 0.5)
        let missing = folder.url.appendingPathComponent("none.ahap")
        #expect(code { _ = try CHHapticPattern(contentsOf: missing) } == .fileNotFound)
        let empty = try folder.write("empty.ahap", Data())
        #expect(code { _ = try CHHapticPattern(contentsOf: empty) } == .invalidPatternData)
    }

    @Test(arguments: ["a.wav", "AHAP/a.wav", "/nowhere/a.wav"])
    func aSoundThatIsMissingTakesNothingFromTheHaptics(path: String) throws {
        let folder = Folder()
        let text = """
            {"Pattern": [
                {"Event": {"EventType": "AudioCustom", "Time": 0, "EventWaveformPath": "\(path)"}},
                {"Event": {"EventType": "HapticTransient", "Time": 0.5}}
            ]}
            """
        let url = try folder.write("drums.ahap", Data(text.utf8))
        let engine = CHHapticEngine(device: .port("/nowhere"))
        let pattern = try CHHapticPattern(contentsOf: url)
        _ = try engine.makePlayer(with: pattern)
        #expect(pattern.value.events.map(\.type) == [.audioCustom, .hapticTransient])
        let entries = try pattern.exportDictionary()[.pattern] as? [[CHHapticPattern.Key: Any]]
        let event = entries?.first?[.event] as? [CHHapticPattern.Key: Any]
        #expect(event?[.eventWaveformPath] as? String == path)
    }
}
