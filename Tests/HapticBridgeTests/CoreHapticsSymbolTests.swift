// Tests of every public name of Core Haptics, and of the haptic names of GameController and UIKit.
// This file uses the names that exist in this library, so the file does not compile if a name is
// missing. The article on differences lists the names that do not exist.

import Testing

@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge
@testable import PlatformFeedback

struct CoreHapticsSymbolTests {
    /// Apple's names that have no counterpart in this library.
    static let missing = [
        "intendedSpatialExperience", "AVAudioSession", "UIImpactFeedbackGenerator(view:)",
    ]

    @Test(arguments: missing) func whatIsMissingIsInTheArticleOnDifferences(_ name: String) throws {
        let article = URL(filePath: #filePath)
            .appending(path: "../../../Sources/HapticBridge/HapticBridge.docc")
            .appending(path: "DifferencesFromCoreHaptics.md").standardized
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(text.contains("`\(name)`"))
    }

    @Test func errorsHaveCoreHapticsNumbers() {
        let codes: [CHHapticError.Code: Int] = [
            .engineNotRunning: -4805, .operationNotPermitted: -4806, .engineStartTimeout: -4808,
            .notSupported: -4809, .serverInitFailed: -4810, .serverInterrupted: -4811,
            .invalidPatternPlayer: -4812, .invalidPatternData: -4813,
            .invalidPatternDictionary: -4814, .invalidAudioSession: -4815,
            .invalidEngineParameter: -4816, .invalidParameterType: -4820,
            .invalidEventType: -4821, .invalidEventTime: -4822, .invalidEventDuration: -4823,
            .invalidAudioResource: -4824, .resourceNotAvailable: -4825, .badEventEntry: -4830,
            .badParameterEntry: -4831, .invalidTime: -4840, .fileNotFound: -4851,
            .insufficientPower: -4897, .unknownError: -4898, .memoryError: -4899,
        ]
        for (code, number) in codes { #expect(code.rawValue == number) }
        #expect(CHHapticError.errorDomain == CoreHapticsErrorDomain)
        let error = CHHapticError(.unknownError, userInfo: ["key": 1])
        #expect(error.code == .unknownError && error.userInfo["key"] as? Int == 1)
    }

    @Test func reasonsHaveCoreHapticsNumbers() {
        let reasons: [CHHapticEngine.StoppedReason: Int] = [
            .audioSessionInterrupt: 1, .applicationSuspended: 2, .idleTimeout: 3,
            .notifyWhenFinished: 4, .engineDestroyed: 5, .gameControllerDisconnect: 6,
            .systemError: -1,
        ]
        for (reason, number) in reasons { #expect(reason.rawValue == number) }
        #expect(CHHapticEngine.FinishedAction.stopEngine.rawValue == 1)
        #expect(CHHapticEngine.FinishedAction.leaveEngineRunning.rawValue == 2)
    }

    @Test func theMembersOfAnEngineAreThere() {
        _ = { try CHHapticEngine() } as () throws -> CHHapticEngine
        _ = { try CHHapticEngine(audioSession: nil) } as () throws -> CHHapticEngine
        _ = CHHapticEngine.capabilitiesForHardware as () -> any CHHapticDeviceCapability
        let keyPaths: [PartialKeyPath<CHHapticEngine>] = [
            \.currentTime, \.stoppedHandler, \.resetHandler, \.playsHapticsOnly, \.playsAudioOnly,
            \.isMutedForAudio, \.isMutedForHaptics, \.isAutoShutdownEnabled,
        ]
        #expect(keyPaths.count == 8)
        func wait(for engine: CHHapticEngine) async throws {
            try await engine.start()
            try await engine.stop()
        }
        _ = wait
        func use(_ engine: CHHapticEngine) throws {
            engine.start { (_: (any Error)?) in }
            try engine.start()
            engine.stop { (_: (any Error)?) in }
            engine.notifyWhenPlayersFinished { (_: (any Error)?) in .stopEngine }
            let pattern = try CHHapticPattern(events: [], parameters: [])
            _ = try engine.makePlayer(with: pattern) as any CHHapticPatternPlayer
            _ = try engine.makeAdvancedPlayer(with: pattern) as any CHHapticAdvancedPatternPlayer
            let url = URL(filePath: "/")
            let sound: CHHapticAudioResourceID = try engine.registerAudioResource(
                url,
                options: [
                    CHHapticAudioResourceKeyUseVolumeEnvelope as CHHapticAudioResourceKey: true,
                    CHHapticAudioResourceKeyLoopEnabled as CHHapticAudioResourceKey: true,
                ])
            try engine.unregisterAudioResource(sound)
            try engine.playPattern(from: url)
            try engine.playPattern(from: Data())
        }
        _ = use
    }

    @Test func theMembersOfPlayersAreThere() {
        func use(_ player: any CHHapticAdvancedPatternPlayer) throws {
            try player.start(atTime: CHHapticTimeImmediate)
            try player.stop(atTime: 0)
            try player.pause(atTime: 0)
            try player.resume(atTime: 0)
            try player.seek(toOffset: 0)
            try player.sendParameters([], atTime: 0)
            try player.scheduleParameterCurve(
                CHHapticParameterCurve(
                    parameterID: .hapticIntensityControl, controlPoints: [], relativeTime: 0),
                atTime: 0)
            try player.cancel()
            player.isMuted = !player.isMuted
            player.loopEnabled = !player.loopEnabled
            player.loopEnd += 1
            player.playbackRate *= 2 as Float
            player.completionHandler = { (_: (any Error)?) in }
        }
        _ = use
        func use(_ player: any CHHapticPatternPlayer) throws {
            try player.start(atTime: 0)
            try player.stop(atTime: 0)
            try player.cancel()
            player.isMuted = !player.isMuted
        }
        _ = use as (any CHHapticPatternPlayer) throws -> Void
    }

    @Test func theMembersOfPatternsAreThere() throws {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [CHHapticEventParameter(parameterID: .attackTime, value: 0.5)],
            relativeTime: 1, duration: 2)
        #expect(event.type == .hapticContinuous && event.relativeTime == 1)
        #expect(event.duration == 2 && event.eventParameters[0].parameterID == .attackTime)
        _ = CHHapticEvent(audioResourceID: 1, parameters: [], relativeTime: 0)
        _ = CHHapticEvent(audioResourceID: 1, parameters: [], relativeTime: 0, duration: 1)
        let point = CHHapticParameterCurve.ControlPoint(relativeTime: 0, value: 1)
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl, controlPoints: [point], relativeTime: 0)
        #expect(curve.controlPoints[0].value == 1 && curve.relativeTime == 0)
        let pattern = try CHHapticPattern(events: [event], parameterCurves: [curve])
        #expect(pattern.duration > 0)
        _ = try CHHapticPattern(dictionary: pattern.exportDictionary())
        let nowhere = URL(filePath: "/no")
        #expect(throws: CHHapticError.self) { try CHHapticPattern(contentsOf: nowhere) }
    }

    @Test func namesAreSpelledAsInFiles() {
        let events: [CHHapticEvent.EventType: String] = [
            .hapticTransient: "HapticTransient", .hapticContinuous: "HapticContinuous",
            .audioContinuous: "AudioContinuous", .audioCustom: "AudioCustom",
        ]
        for (type, name) in events { #expect(type.rawValue == name) }
        let parameters: [CHHapticEvent.ParameterID: String] = [
            .hapticIntensity: "HapticIntensity", .hapticSharpness: "HapticSharpness",
            .attackTime: "AttackTime", .decayTime: "DecayTime", .releaseTime: "ReleaseTime",
            .sustained: "Sustained", .audioVolume: "AudioVolume", .audioPitch: "AudioPitch",
            .audioPan: "AudioPan", .audioBrightness: "AudioBrightness",
        ]
        for (id, name) in parameters { #expect(id.rawValue == name) }
        let controls: [CHHapticDynamicParameter.ID: String] = [
            .hapticIntensityControl: "HapticIntensityControl",
            .hapticSharpnessControl: "HapticSharpnessControl",
            .hapticAttackTimeControl: "HapticAttackTimeControl",
            .hapticDecayTimeControl: "HapticDecayTimeControl",
            .hapticReleaseTimeControl: "HapticReleaseTimeControl",
            .audioVolumeControl: "AudioVolumeControl", .audioPanControl: "AudioPanControl",
            .audioBrightnessControl: "AudioBrightnessControl",
            .audioPitchControl: "AudioPitchControl",
            .audioAttackTimeControl: "AudioAttackTimeControl",
            .audioDecayTimeControl: "AudioDecayTimeControl",
            .audioReleaseTimeControl: "AudioReleaseTimeControl",
        ]
        for (id, name) in controls { #expect(id.rawValue == name) }
        let keys: [CHHapticPattern.Key: String] = [
            .version: "Version", .pattern: "Pattern", .event: "Event", .eventType: "EventType",
            .time: "Time", .eventDuration: "EventDuration",
            .eventParameters: "EventParameters", .eventWaveformPath: "EventWaveformPath",
            .eventWaveformUseVolumeEnvelope: "EventWaveformUseVolumeEnvelope",
            .eventWaveformLoopEnabled: "EventWaveformLoopEnabled", .parameter: "Parameter",
            .parameterID: "ParameterID", .parameterValue: "ParameterValue",
            .parameterCurve: "ParameterCurve",
            .parameterCurveControlPoints: "ParameterCurveControlPoints",
        ]
        for (key, name) in keys { #expect(key.rawValue == name) }
    }

    @Test func capabilitiesAreThere() throws {
        let capability: any CHHapticDeviceCapability = CHHapticEngine.capabilitiesForHardware()
        _ = capability.supportsHaptics
        #expect(!capability.supportsAudio)
        let attributes: any CHHapticParameterAttributes = try capability.attributes(
            forEventParameter: .hapticIntensity, eventType: .hapticTransient)
        #expect(attributes.minValue == 0 && attributes.maxValue == 1)
        _ = attributes.defaultValue
        _ = try capability.attributes(forDynamicParameter: .hapticIntensityControl)
    }

    @Test func gameControllersNamesAreThere() {
        let localities: Set<GCHapticsLocality> = [
            .default, .all, .handles, .leftHandle, .rightHandle, .triggers, .leftTrigger,
            .rightTrigger,
        ]
        #expect(localities.count == 8)
        #expect(GCHapticDurationInfinite > 0)
        func use(_ haptics: GCDeviceHaptics) -> CHHapticEngine? {
            haptics.supportedLocalities.first.flatMap(haptics.createEngine(withLocality:))
        }
        _ = use
    }

    @Test func generatorsAreThere() {
        func use(at place: CGPoint) {
            let impact = UIImpactFeedbackGenerator(style: .medium)
            impact.impactOccurred()
            impact.impactOccurred(intensity: 0.5)
            impact.impactOccurred(at: place)
            impact.impactOccurred(intensity: 0.5, at: place)
            let selection = UISelectionFeedbackGenerator()
            selection.selectionChanged()
            selection.selectionChanged(at: place)
            let notification = UINotificationFeedbackGenerator()
            notification.notificationOccurred(.success)
            notification.notificationOccurred(.warning, at: place)
            let generators: [UIFeedbackGenerator] = [impact, selection, notification]
            for generator in generators { generator.prepare() }
        }
        _ = use
        let styles: [UIImpactFeedbackGenerator.FeedbackStyle: Int] = [
            .light: 0, .medium: 1, .heavy: 2, .soft: 3, .rigid: 4,
        ]
        for (style, number) in styles { #expect(style.rawValue == number) }
        let types: [UINotificationFeedbackGenerator.FeedbackType: Int] = [
            .success: 0, .warning: 1, .error: 2,
        ]
        for (type, number) in types { #expect(type.rawValue == number) }
    }

    @Test func trackpadsWatchesAndCanvasesAreThere() {
        func use(_ performer: any NSHapticFeedbackPerformer) {
            performer.perform(.alignment, performanceTime: .default)
            NSHapticFeedbackManager.defaultPerformer.perform(.generic, performanceTime: .now)
            WKInterfaceDevice.current().play(.success)
            let canvas: UIFeedbackGenerator = UICanvasFeedbackGenerator()
            (canvas as? UICanvasFeedbackGenerator)?.alignmentOccurred(at: .zero)
            (canvas as? UICanvasFeedbackGenerator)?.pathCompleted(at: .zero)
        }
        _ = use
        typealias Manager = NSHapticFeedbackManager
        let patterns: [Manager.FeedbackPattern: SystemFeedback] = [
            .generic: .generic, .alignment: .alignment, .levelChange: .levelChange,
        ]
        for (pattern, feedback) in patterns { #expect(pattern.feedback == feedback) }
        #expect(
            [.generic, .alignment, .levelChange].map(\Manager.FeedbackPattern.rawValue) == [
                0, 1, 2,
            ])
        #expect(
            [.default, .now, .drawCompleted].map(\Manager.PerformanceTime.rawValue) == [0, 1, 2])
        let types: [WKHapticType] = [
            .notification, .directionUp, .directionDown, .success, .failure, .retry, .start, .stop,
            .click,
        ]
        #expect(types.map(\.rawValue) == Array(0...8))
        #expect(
            types.map { "watch-\($0)" }
                == types.map {
                    $0.feedback.rawValue.replacing("-up", with: "Up").replacing(
                        "-down", with: "Down")
                })
    }
}
