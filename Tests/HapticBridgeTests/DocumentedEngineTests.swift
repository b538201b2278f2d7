// Tests of each documented rule for the engine, players, patterns and errors of Core Haptics.
//
// Engine
//   no engine without haptics                  ClientTests.withoutABoardThereAreNoHaptics
//   time 0 means now; reasons, actions         EngineTests.rawValuesOfReasonsAndActionsAre…
//   defaults of properties                     propertiesHaveTheirDefaults
//   currentTime is the time of atTime          atTimeIsTheEnginesTime
//   start: throwing, completion, async         aStartCallsItsCompletionHandler, EngineTests
//   a second start changes nothing             EngineTests.aPlayerPlaysAndReportsItsEnd
//   stop does not call stoppedHandler          EngineTests.anExplicitStopIsNotReportedTo…
//   a start directly after a stop              aStartBehindAStopWaitsForIt
//   auto shutdown, and a player's start        EngineTests.anIdleEngineShutsDownAndAPlayer…
//   mutes take effect immediately              EngineTests.aMutedEngineIsNotFelt
//   resetHandler; state kept across a reset    EngineTests.afterAResetTheAppStartsAgain…,
//                                              aResetLeavesPropertiesAndTakesSounds
//   notifyWhenPlayersFinished                  EngineTests.theFinishedHandlerIsCalled…
//   playPattern starts, and overlaps           EngineTests.patternsArePlayedWithoutAPlayer…
//   sounds: registered, checked, skipped       EngineTests.soundsAreCheckedAndNoLossOf…
//   handlers: in order, off the main thread,
//   all functions may be called from inside    handlersMayCallEverything
//   a released engine reports its end          anEngineThatGoesIsDestroyed
//   a player retains its engine                aPlayerKeepsItsEngine
//   several engines, many threads              EngineTests.severalEnginesPlayAtOnce,
//                                              enginesAndPlayersAreUsedFromManyTasksAtOnce
// Patterns
//   four initializers, export, duration        CHHapticPatternTests
//   the keys of dictionaries and files         keysAreThoseOfAFile
//   no loss from file to dictionary            realFilesComeBackFromTheirDictionary
// Players
//   start, stop, and without an engine         EngineTests, LiveStreamTests
//   parameters: now, past, their own time      aTimeThatHasPassedMeansNow, LiveStreamTests
//   parameters on both kinds of player         aBasicPlayerTakesParametersAndCurves
//   curves: start at the specified time        LiveStreamTests.aScheduledCurveIsFollowed
//   cancel, isMuted, pause, resume, seek, rate LiveStreamTests
//   loopEnd 0 is the end of the last event     aLoopEndsWithTheLastEvent
//   completion, after a stop too               EngineTests.aPlayerPlaysAndReportsItsEnd
// Capability and errors
//   attributes, including unknown ones         CapabilityTests
//   every error code that can occur            codesOfConnections, CHHapticPatternTests, EngineTests

import AHAP
import BridgeLink
import Foundation
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct DocumentedEngineTests {
    // MARK: Engine

    @Test func propertiesHaveTheirDefaults() {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        #expect(!engine.isAutoShutdownEnabled && !engine.playsHapticsOnly)
        #expect(!engine.isMutedForHaptics && !engine.isMutedForAudio)
        #expect(engine.state.withLock { $0.shutdownDelay } == 120_000_000)
    }

    @Test func atTimeIsTheEnginesTime() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        let start = rig.engine.currentTime
        try rig.engine.makePlayer(with: .held(0.5, for: 50_000)).start(atTime: start + 0.4)
        #expect(rig.wait { rig.board.level == 128 })
        #expect(rig.engine.currentTime >= start + 0.4)
        #expect(rig.wait { rig.board.isAtRest })
        rig.engine.stop()
    }

    @Test func aStartCallsItsCompletionHandler() async throws {
        let rig = try EngineRig()
        let error = await withCheckedContinuation { continuation in
            rig.engine.start { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        try await rig.engine.stop()
        let nowhere = CHHapticEngine(device: .port("/nowhere"))
        let refusal = await withCheckedContinuation { continuation in
            nowhere.start { continuation.resume(returning: $0) }
        }
        #expect((refusal as? CHHapticError)?.code == .notSupported)
    }

    @Test func aStartBehindAStopWaitsForIt() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        let player = try rig.engine.makePlayer(with: .held(0.5))
        for _ in 0..<3 {
            try player.start(atTime: CHHapticTimeImmediate)
            rig.engine.stop { [calls = rig.calls] _ in calls.record("stopped") }
            try rig.engine.start()
            #expect(rig.board.isAtRest)
        }
        #expect(rig.wait { rig.calls.all == ["stopped", "stopped", "stopped"] })
        rig.engine.stop()
    }

    @Test func aResetLeavesPropertiesAndTakesSounds() throws {
        let rig = try EngineRig()
        let folder = Folder()
        let sound = try rig.engine.registerAudioResource(folder.write("a.wav", Data([0])))
        rig.engine.isMutedForHaptics = true
        try rig.engine.start()
        rig.board.reset()
        #expect(rig.wait { rig.calls.has("reset") })
        #expect(code { try rig.engine.unregisterAudioResource(sound) } == .invalidAudioResource)
        #expect(rig.engine.isMutedForHaptics)
        try rig.engine.start()
        try rig.engine.makePlayer(with: .held(0.5, for: 200_000)).start(
            atTime: CHHapticTimeImmediate)
        #expect(!rig.wait(seconds: 0.3) { rig.board.level > 0 })
        rig.engine.stop()
    }

    @Test func handlersMayCallEverything() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        let player = try rig.engine.makeAdvancedPlayer(with: .held(0.5, for: 20_000))
        let (engine, calls) = (rig.engine, rig.calls)
        player.completionHandler = { [weak player] _ in
            calls.record(Thread.isMainThread ? "on the main thread" : "first")
            let refusal = code {
                player?.completionHandler = { _ in calls.record("third") }
                engine.stop { _ in calls.record("stopped") }
                try engine.start()
                try player?.start(atTime: CHHapticTimeImmediate)
            }
            calls.record(refusal == nil ? "second" : "refused")
        }
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(rig.wait { calls.has("third") })
        #expect(calls.all == ["first", "second", "stopped", "third"])
        rig.engine.stop()
    }

    @Test func anEngineThatGoesIsDestroyed() throws {
        let rig = try LiveBoard()
        let calls = CallLog()
        do {
            let engine = CHHapticEngine(device: .port(rig.port))
            engine.stoppedHandler = { calls.record("stopped \($0)") }
            try engine.start()
            let player = try engine.makePlayer(with: .held(0.5, for: 10_000_000))
            try player.start(atTime: CHHapticTimeImmediate)
            #expect(wait { rig.level == 128 })
        }
        #expect(wait { calls.has("stopped engineDestroyed") && rig.isAtRest })
        #expect(calls.all.count == 1)
    }

    @Test func aPlayerKeepsItsEngine() throws {
        let board = try LiveBoard()
        func player() throws -> any CHHapticPatternPlayer {
            let engine = CHHapticEngine(device: .port(board.port))
            try engine.start()
            return try engine.makePlayer(with: .held(0.5, for: 100_000))
        }
        let kept = try player()
        try kept.start(atTime: CHHapticTimeImmediate)
        #expect(wait { board.hasDriven && board.isAtRest })
    }

    // MARK: Patterns

    @Test func keysAreThoseOfAFile() {
        let keys: [CHHapticPattern.Key] = [
            .version, .pattern, .event, .eventType, .eventDuration, .eventWaveformPath,
            .eventParameters, .eventWaveformUseVolumeEnvelope, .eventWaveformLoopEnabled, .time,
            .parameter, .parameterID, .parameterValue, .parameterCurve,
            .parameterCurveControlPoints,
        ]
        let spellings = """
            Version Pattern Event EventType EventDuration EventWaveformPath EventParameters \
            EventWaveformUseVolumeEnvelope EventWaveformLoopEnabled Time Parameter ParameterID \
            ParameterValue ParameterCurve ParameterCurveControlPoints
            """
        #expect(keys.map(\.rawValue).joined(separator: " ") == spellings)
    }

    @Test(.enabled(if: !SharedFiles.ahap.isEmpty, "the folder of real files is missing"))
    func realFilesComeBackFromTheirDictionary() throws {
        for name in SharedFiles.ahap {
            let bytes = try SharedFiles.bytes(name, in: "ahap")
            guard let reading = try? AHAPReader.read(bytes) else { continue }
            let pattern = CHHapticPattern(reading)
            let again = try CHHapticPattern(dictionary: pattern.exportDictionary())
            #expect(again.means(pattern), "\(name)")
        }
    }

    // MARK: Players

    @Test func aTimeThatHasPassedMeansNow() throws {
        let rig = LiveRig()
        let player = rig.player(.held(1))
        rig.perform(.start(at: rig.now - 500_000), of: player)
        rig.run(for: 100_000)
        #expect(rig.level(at: rig.now) == 255)
        let half = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 0.5)
        rig.perform(.send([half], at: rig.now - 50_000), of: player)
        rig.run(for: 20_000)
        #expect(rig.level(at: rig.now) == 128)
    }

    @Test func aBasicPlayerTakesParametersAndCurves() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        let player = try rig.engine.makePlayer(with: .held(1))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(rig.wait { rig.board.level == 255 })
        let half = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)
        try player.sendParameters([half], atTime: CHHapticTimeImmediate)
        #expect(rig.wait { rig.board.level == 128 })
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl,
            controlPoints: [
                .init(relativeTime: 0, value: 0.5), .init(relativeTime: 0.1, value: 0.2),
            ], relativeTime: 60)
        try player.scheduleParameterCurve(curve, atTime: CHHapticTimeImmediate)
        #expect(rig.wait { rig.board.level == 51 })
        rig.engine.stop()
    }

    @Test func aLoopEndsWithTheLastEvent() throws {
        // The duration of the tap extends the pattern and therefore the loop.
        let rig = LiveRig()
        let player = rig.player(
            HapticPattern(events: [
                HapticEvent(.hapticTransient, time: 0, duration: 200_000, intensity: 1)
            ]))
        rig.perform(.setLoop(true, end: 0), of: player)
        let time = rig.now
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 1_000_000)
        let taps = rig.levels(since: time).filter { $0.value == 255 }.map(\.time)
        #expect(taps.count == 5)
        for (one, next) in zip(taps, taps.dropFirst()) { #expect(abs(next - one - 200_000) < 600) }
    }

    // MARK: Errors

    @Test(
        arguments: [
            (LinkEnd.silent(1), CHHapticError.Code.serverInterrupted),
            (LinkEnd.versionRefused(device: 9...9, host: 1...1), .engineStartTimeout),
            (TransportError.notAPort(path: "/dev/null"), .notSupported),
            (TransportError.noPermission(path: "/dev/ttyACM0"), .serverInitFailed),
            (TransportError.unplugged(path: "/dev/ttyACM0"), .serverInterrupted),
        ] as [(any Error & Sendable, CHHapticError.Code)])
    func codesOfConnections(failure: any Error & Sendable, expected: CHHapticError.Code) {
        let engine = CHHapticEngine(device: HapticDevice(name: "none") { throw failure })
        #expect(code { try engine.start() } == expected)
        #expect(CHHapticError.errorDomain == "com.apple.CoreHaptics")
    }

    @Test func foundationSaysTheSameOfAnError() {
        let error = HapticError(.engineNotRunning, "start it first")
        #expect(error.localizedDescription == "start it first")
        let bridged = error as NSError
        #expect((bridged.domain, bridged.code) == ("com.apple.CoreHaptics", -4805))
        #expect(TransportError.unplugged(path: "P").localizedDescription == "P: unplugged")
    }

    @Test func errorsAreCaughtByTheirCode() {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        do {
            try engine.start()
            Issue.record("it started")
        } catch CHHapticError.engineNotRunning {
            Issue.record("another code")
        } catch CHHapticError.notSupported {
        } catch {
            Issue.record(error)
        }
    }

    @Test func aCurveWithoutPointsIsRefused() {
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl, controlPoints: [], relativeTime: 0)
        #expect(
            code { _ = try CHHapticPattern(events: [], parameterCurves: [curve]) }
                == .badParameterEntry)
    }
}
