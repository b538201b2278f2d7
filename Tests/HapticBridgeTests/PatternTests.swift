// Patterns, events and parameters as an app that knows Core Haptics writes them.

import AHAP
import Foundation
import HapticBridge
import TestSupport
import Testing

@Suite struct PatternTests {
    private let tap = CHHapticEvent(
        eventType: .hapticTransient,
        parameters: [
            CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.9),
            CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.2),
        ], relativeTime: 0.1, duration: 10)

    @Test func anEventHasWhatItWasMadeOf() {
        #expect(tap.type == .hapticTransient)
        #expect(tap.relativeTime == 0.1 && tap.duration == 10)
        #expect(tap.intensity == 0.9 && tap.sharpness == 0.2)
        #expect(
            tap.eventParameters == [
                CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.9),
                CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.2),
            ])
    }

    @Test func valuesOutOfRangeAreTakenAsTheNearestInside() {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [
                CHHapticEventParameter(parameterID: .hapticIntensity, value: 4.64),
                CHHapticEventParameter(parameterID: .hapticSharpness, value: -1),
            ], relativeTime: 0, duration: 1)
        #expect(event.intensity == 1 && event.sharpness == 0)
        let parameter = CHHapticDynamicParameter(
            parameterID: .hapticSharpnessControl, value: -3, relativeTime: 0)
        #expect(parameter.value == -1)
    }

    @Test func durationReachesToTheEndOfTheLastEvent() throws {
        let late = CHHapticEvent(eventType: .hapticTransient, parameters: [], relativeTime: 12)
        #expect(try CHHapticPattern(events: [tap], parameters: []).duration == 10.1)
        #expect(try CHHapticPattern(events: [late, tap], parameters: []).duration == 12)
    }

    @Test func negativeTimesAreRefusedWithCoreHapticsCodes() {
        var event = tap
        event.relativeTime = -0.1
        #expect(
            code { _ = try CHHapticPattern(events: [event], parameters: []) } == .invalidEventTime)
        event = tap
        event.duration = -1
        #expect(
            code { _ = try CHHapticPattern(events: [event], parameters: []) }
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

    @Test func whatIsNoNumberIsRefused() {
        let event = CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: .nan)],
            relativeTime: 0)
        #expect(code { _ = try CHHapticPattern(events: [event], parameters: []) } == .badEventEntry)
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
            pattern.events == [
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
        #expect(try CHHapticPattern(dictionary: try pattern.exportDictionary()) == pattern)
    }

    /// Among them curves whose first points lie as late as their curve: written so, a file might be
    /// taken for one whose times all count from the start of the pattern.
    @Test(arguments: 0..<50)
    func aPatternThatIsExportedAndReadFromAFileIsTheSame(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pattern = Self.pattern(using: &generator)
        let folder = Folder()
        let json = try Self.json(try pattern.exportDictionary())
        let url = try folder.write("exported.ahap", json)
        #expect(try CHHapticPattern(contentsOf: url) == pattern)
    }

    private static func pattern(using generator: inout SeededGenerator) -> HapticPattern {
        let events = (0..<10).map { _ in
            let type: HapticEvent.EventType = [
                .hapticTransient, .hapticContinuous, .audioContinuous,
            ].randomElement(using: &generator)!
            return HapticEvent(
                type, time: .random(in: 0...9_999_999, using: &generator),
                duration: generator.chance(oneIn: 3)
                    ? nil : .random(in: 0...5_000_000, using: &generator),
                intensity: type.isHaptic ? .random(in: 0...1, using: &generator) : nil,
                sharpness: type.isHaptic ? .random(in: 0...1, using: &generator) : nil)
        }
        let curves = (0..<3).map { _ in
            let time = Microseconds.random(in: 1...3_000_000, using: &generator)
            let points = [time, time + 500_000, time + 600_000].map {
                HapticParameterCurve.Point(time: $0, value: .random(in: 0...1, using: &generator))
            }
            return HapticParameterCurve(.hapticIntensityControl, time: time, points: points)
        }
        let parameter = HapticDynamicParameter(
            .hapticSharpnessControl, time: .random(in: 0...9_999_999, using: &generator),
            value: .random(in: -1...1, using: &generator))
        return HapticPattern(events: events, parameters: [parameter], curves: curves)
    }

    /// As an app would write it, by way of Foundation.
    private static func json(_ dictionary: [HapticPattern.Key: Any]) throws -> Data {
        func plain(_ value: Any) -> Any {
            switch value {
            case let object as [HapticPattern.Key: Any]:
                Dictionary(uniqueKeysWithValues: object.map { ($0.rawValue, plain($1)) })
            case let array as [Any]: array.map(plain)
            default: value
            }
        }
        return try JSONSerialization.data(withJSONObject: plain(dictionary))
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
        #expect(pattern.curves.map(\.end) == [3_000_000, 5_000_000])
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

    @Test func theSoundOfAFileIsLookedForBesideIt() throws {
        let folder = Folder()
        let text =
            #"{"Pattern": [{"Event": {"EventType": "AudioCustom", "EventWaveformPath": "a.wav"}}]}"#
        let url = try folder.write("sound.ahap", Data(text.utf8))
        #expect(code { _ = try CHHapticPattern(contentsOf: url) } == .resourceNotAvailable)
        try folder.write("a.wav", Data([0]))
        let event = try CHHapticPattern(contentsOf: url).events[0]
        #expect(event.audio?.waveformPath == folder.path("a.wav"))
    }
}
