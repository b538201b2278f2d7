// Tests of patterns in the forms that code for Core Haptics uses: classes, names with any spelling,
// and values that can be cast. This file does not import Foundation, because code for Core Haptics
// does not need to import it.

import Testing

@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct CoreHapticsShapeTests {
    private typealias Dictionary = [CHHapticPattern.Key: Any]

    // MARK: Times

    @Test func aDurationLeadsToATimeOfTheEngine() {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        #expect(engine.time(after: .zero) == engine.currentTime)
        #expect(abs(engine.time(after: .milliseconds(250)) - engine.currentTime - 0.25) < 1e-6)
        #expect(engine.time(after: .seconds(-2)) < engine.currentTime)
    }

    // MARK: Names

    @Test func namesOfAnySpellingCanBeMadeAndAreRefusedByAPattern() {
        let bang = CHHapticEvent(
            eventType: CHHapticEvent.EventType(rawValue: "Bang"), parameters: [], relativeTime: 0)
        #expect(
            code { _ = try CHHapticPattern(events: [bang], parameters: []) } == .invalidEventType)
        let strong = CHHapticEventParameter(
            parameterID: CHHapticEvent.ParameterID(rawValue: "Strength"), value: 1)
        let event = CHHapticEvent(
            eventType: .hapticTransient, parameters: [strong], relativeTime: 0)
        #expect(
            code { _ = try CHHapticPattern(events: [event], parameters: []) }
                == .invalidParameterType)
        let unknown = CHHapticDynamicParameter.ID(rawValue: "HapticIntensity")
        let change = CHHapticDynamicParameter(parameterID: unknown, value: 1, relativeTime: 0)
        #expect(
            code { _ = try CHHapticPattern(events: [], parameters: [change]) }
                == .invalidParameterType)
        let curve = CHHapticParameterCurve(
            parameterID: unknown, controlPoints: [.init(relativeTime: 0, value: 1)],
            relativeTime: 0)
        #expect(
            code { _ = try CHHapticPattern(events: [], parameterCurves: [curve]) }
                == .invalidParameterType)
    }

    @Test func aPlayerRefusesAParameterThatDoesNotExist() throws {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        let player = try engine.makePlayer(with: .held(1))
        let change = CHHapticDynamicParameter(
            parameterID: CHHapticDynamicParameter.ID(rawValue: "Strength"), value: 1,
            relativeTime: 0)
        #expect(
            code { try player.sendParameters([change], atTime: CHHapticTimeImmediate) }
                == .invalidParameterType)
        #expect(
            code {
                _ = try CHHapticEngine.capabilitiesForHardware().attributes(
                    forEventParameter: CHHapticEvent.ParameterID(rawValue: "Strength"),
                    eventType: .hapticTransient)
            } == .invalidParameterType)
    }

    @Test func aRefusalOfANameSaysWhichThereAre() {
        let bang = CHHapticEvent(
            eventType: CHHapticEvent.EventType(rawValue: "Bang"), parameters: [], relativeTime: 0)
        let error = #expect(throws: CHHapticError.self) {
            _ = try CHHapticPattern(events: [bang], parameters: [])
        }
        #expect(
            error?.message == "\"Bang\" is not an event type; use HapticTransient, "
                + "HapticContinuous, AudioContinuous, AudioCustom")
    }

    // MARK: Classes

    /// A subclass of an event, which an app may define to read events from its own files.
    private class NamedEvent: CHHapticEvent, @unchecked Sendable {
        let name: String

        init(named name: String, at time: TimeInterval) {
            self.name = name
            super.init(eventType: .hapticTransient, parameters: [], relativeTime: time)
        }
    }

    private class DoubleTap: CHHapticPattern, @unchecked Sendable {
        init(at time: TimeInterval) throws {
            let taps = [time, time + 0.1].map { NamedEvent(named: "tap", at: $0) }
            try super.init(events: taps, parameters: [])
        }
    }

    @Test func eventsAndPatternsCanBeSubclassed() throws {
        let pattern: CHHapticPattern = try DoubleTap(at: 1)
        let other = try DoubleTap(at: 1)
        #expect(pattern.value.events.map(\.time) == [1_000_000, 1_100_000])
        #expect(pattern.isEqual(pattern) && pattern != other)
        #expect(Set([pattern, pattern, other]).count == 2)
    }

    @Test func patternsCanBeExtendedByConvenienceInitialisers() throws {
        #expect(try CHHapticPattern(buzzFor: 0.5).duration == 0.5)
    }

    @Test func partsOfAPatternCanBeChangedThroughConstants() throws {
        let event = CHHapticEvent(eventType: .hapticTransient, parameters: [], relativeTime: 0)
        event.relativeTime += 1
        event.duration = 2
        let change = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: 1, relativeTime: 0)
        (change.value, change.relativeTime) = (Float(0.5), 3)
        let point = CHHapticParameterCurve.ControlPoint(relativeTime: 0, value: 1)
        (point.value, point.relativeTime) = (Float(0.25), 4)
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl, controlPoints: [point], relativeTime: 0)
        curve.relativeTime = 5
        let changed = try CHHapticPattern(events: [event], parameters: [change]).value
        #expect((changed.events[0].time, changed.events[0].length) == (1_000_000, 2_000_000))
        #expect((changed.parameters[0].time, changed.parameters[0].value) == (3_000_000, 0.5))
        let curved = try CHHapticPattern(events: [event], parameterCurves: [curve]).value.curves[0]
        #expect((curved.time, curved.points) == (5_000_000, [.init(time: 4_000_000, value: 0.25)]))
    }

    // MARK: Durations

    @Test(arguments: [
        TimeInterval.infinity, .greatestFiniteMagnitude, TimeInterval(GCHapticDurationInfinite),
        TimeInterval(Float.greatestFiniteMagnitude),
    ])
    func aDurationWithoutEndPlaysUntilItIsStopped(duration: TimeInterval) throws {
        let event = CHHapticEvent(
            eventType: .hapticContinuous, parameters: [], relativeTime: 0, duration: duration)
        let pattern = try CHHapticPattern(events: [event], parameters: [])
        #expect(pattern.value.isEndless)
        let again = try CHHapticPattern(dictionary: pattern.exportDictionary())
        #expect(again.value.isEndless)
    }

    @Test func aDurationOfMoreThanADayIsRefused() {
        let event = CHHapticEvent(
            eventType: .hapticContinuous, parameters: [], relativeTime: 0, duration: 86_401)
        #expect(
            code { _ = try CHHapticPattern(events: [event], parameters: []) }
                == .invalidEventDuration)
    }

    // MARK: Dictionaries

    @Test func exportedValuesCanBeCastAsOnApplesSystems() throws {
        let event = CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [
                .init(parameterID: .hapticSharpness, value: 0.2),
                .init(parameterID: .hapticIntensity, value: 1.8),
            ], relativeTime: 0.1)
        let change = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: 0.3, relativeTime: 0.5)
        let pattern = try CHHapticPattern(events: [event], parameters: [change])
        let entries = try #require(try pattern.exportDictionary()[.pattern] as? [Dictionary])
        let exported = try #require(entries[0][.event] as? Dictionary)
        #expect(exported[.eventType] as? CHHapticEvent.EventType == .hapticTransient)
        #expect(exported[.eventType] as? String == "HapticTransient")
        #expect(exported[.time] as? TimeInterval == 0.1)
        #expect(
            exported[.eventDuration] as? TimeInterval == 0,
            "the duration is exported even if none was given")
        let parameters = try #require(exported[.eventParameters] as? [Dictionary])
        // The exported parameters are the parameters that were passed, in the same order and with
        // the same values.
        #expect(
            parameters.map { $0[.parameterID] as? CHHapticEvent.ParameterID }
                == [.hapticSharpness, .hapticIntensity])
        #expect(parameters.map { $0[.parameterValue] as? Float } == [0.2, 1.8])
        #expect(parameters[0][.parameterValue] as? NSNumber == NSNumber(value: Float(0.2)))
        let parameter = try #require(entries[1][.parameter] as? Dictionary)
        #expect(
            parameter[.parameterID] as? CHHapticDynamicParameter.ID == .hapticIntensityControl)
        #expect(parameter[.parameterValue] as? Float == 0.3)
    }

    @Test func curvesAreExportedWithTheirPoints() throws {
        let curve = CHHapticParameterCurve(
            parameterID: .hapticSharpnessControl,
            controlPoints: [.init(relativeTime: 1.5, value: -0.5)], relativeTime: 2)
        let pattern = try CHHapticPattern(events: [], parameterCurves: [curve])
        let entries = try #require(try pattern.exportDictionary()[.pattern] as? [Dictionary])
        let exported = try #require(entries[0][.parameterCurve] as? Dictionary)
        #expect(exported[.parameterID] as? String == "HapticSharpnessControl")
        #expect(exported[.time] as? Double == 2)
        let points = try #require(exported[.parameterCurveControlPoints] as? [Dictionary])
        #expect(points[0][.time] as? Double == 1.5 && points[0][.parameterValue] as? Float == -0.5)
    }

    @Test func aDictionaryOfFoundationsTypesIsAPattern() throws {
        let event: NSDictionary = [
            "EventType": NSString(string: "AudioCustom"), "Time": NSNumber(value: 1),
            "EventWaveformPath": NSString(string: "a.wav"),
            "EventWaveformLoopEnabled": NSNumber(value: true),
        ]
        let dictionary: [String: Any] = [
            "Version": NSNumber(value: 1.0), "Metadata": ["Author": NSNull()],
            "Pattern": NSArray(array: [NSDictionary(dictionary: ["Event": event])]),
        ]
        let audio = try CHHapticPattern(dictionary: dictionary).value.events[0].audio
        #expect(audio?.waveformPath == "a.wav" && audio?.isLoopEnabled == true)
    }

    // MARK: Errors and sounds

    @Test func anErrorHasUserInfo() {
        let error = CHHapticError(.invalidEventTime, userInfo: ["index": 3])
        #expect(error.userInfo["index"] as? Int == 3)
        let bridged = error as NSError
        #expect(bridged.domain == CoreHapticsErrorDomain && bridged.code == -4822)
        #expect(bridged.userInfo["index"] as? Int == 3)
    }

    @Test func soundsTakeCoreHapticsKeys() throws {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        let missing = URL(fileURLWithPath: "/nowhere/a.wav")
        #expect(
            code {
                _ = try engine.registerAudioResource(
                    missing,
                    options: [
                        CHHapticAudioResourceKeyUseVolumeEnvelope: false,
                        CHHapticAudioResourceKeyLoopEnabled: true,
                    ])
            } == .resourceNotAvailable)
    }

    /// Checks that a test of an app can replace the hardware with its own class.
    @Test func attributesAreAProtocol() {
        class Attributes: NSObject, CHHapticParameterAttributes {
            let minValue: Float = 0
            let maxValue: Float = 1
            let defaultValue: Float = 0.5
        }
        let attributes: any CHHapticParameterAttributes = Attributes()
        #expect(attributes.defaultValue == 0.5)
    }
}

extension CHHapticPattern {
    fileprivate convenience init(buzzFor duration: TimeInterval) throws {
        let buzz = CHHapticEvent(
            eventType: .hapticContinuous, parameters: [], relativeTime: 0, duration: duration)
        try self.init(events: [buzz], parameters: [])
    }
}
