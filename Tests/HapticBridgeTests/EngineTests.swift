// Tests of the engine with a virtual board on a pseudo-terminal: starts, stops, resets and
// handlers.

import BridgeLink
import Foundation
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import HapticBoards
@testable import HapticBridge

/// The calls of handlers, in the order in which they were made.
final class CallLog: Sendable {
    private let words = LockedValue<[String]>([])

    func record(_ word: String) { words.withLock { $0.append(word) } }
    var all: [String] { words.withLock { $0 } }
    func has(_ word: String) -> Bool { all.contains(word) }
    func count(_ word: String) -> Int { all.filter { $0 == word }.count }
}

/// An engine on its own virtual board.
struct EngineRig {
    let board: LiveBoard
    let engine: CHHapticEngine
    let calls = CallLog()

    init() throws {
        board = try LiveBoard()
        engine = CHHapticEngine(device: .port(board.port))
        engine.stoppedHandler = { [calls] reason in calls.record("stopped \(reason)") }
        engine.resetHandler = { [calls] in calls.record("reset") }
    }

    /// Returns the nonzero levels written to the chip since `time` microseconds of board time.
    func levels(since time: Int = 0) -> [Int] { board.levels(since: time) }

    func wait(seconds: Double = 60, until condition: () -> Bool) -> Bool {
        TestSupport.wait(seconds: seconds, until: condition)
    }
}

@Suite(.virtualTime) struct EngineTests {
    @Test func anEngineThatDoesNotRunSaysSo() throws {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        let player = try engine.makePlayer(with: .tap(1))
        #expect(code { try player.start(atTime: CHHapticTimeImmediate) } == .engineNotRunning)
        #expect(code { try player.stop(atTime: 0) } == .engineNotRunning)
        #expect(code { try player.sendParameters([], atTime: 0) } == .engineNotRunning)
    }

    @Test func aBoardThatIsNotThereIsNamed() throws {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        do {
            try engine.start()
            Issue.record("it started")
        } catch let error as CHHapticError {
            #expect(error.code == .notSupported)
            #expect(error.description.contains("/nowhere"))
        }
    }

    @Test func aPlayerPlaysAndReportsItsEnd() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        try rig.engine.start()
        let player = try rig.engine.makeAdvancedPlayer(with: .held(0.5, for: 50_000))
        player.completionHandler = { [calls = rig.calls] error in
            calls.record(error == nil ? "done" : "failed")
        }
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(rig.wait { rig.calls.has("done") })
        #expect(rig.levels() == [128])
        try player.start(atTime: rig.engine.currentTime + 0.05)
        try player.stop(atTime: rig.engine.currentTime + 0.08)
        #expect(rig.wait { rig.calls.count("done") == 2 })
        #expect(rig.wait { rig.board.isAtRest })
        #expect(rig.levels() == [128, 128])
    }

    @Test func anExplicitStopIsNotReportedToTheStoppedHandler() async throws {
        let rig = try EngineRig()
        try await rig.engine.start()
        let player = try rig.engine.makePlayer(with: .held(0.5))
        try player.start(atTime: 0)
        #expect(rig.wait { rig.board.level == 128 })
        try await rig.engine.stop()
        #expect(rig.board.isAtRest)
        #expect(code { try player.start(atTime: 0) } == .engineNotRunning)
        rig.engine.stop { [calls = rig.calls] _ in calls.record("stopped again") }
        #expect(rig.wait { rig.calls.has("stopped again") })
        try await rig.engine.start()
        #expect(rig.board.isAtRest, "no earlier pattern plays")
        try player.start(atTime: 0)
        #expect(rig.wait { rig.board.level == 128 })
        #expect(rig.calls.all == ["stopped again"])
        try await rig.engine.stop()
    }

    @Test func afterAResetTheAppStartsAgainWithNewPlayers() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        let player = try rig.engine.makeAdvancedPlayer(with: .held(0.5))
        player.completionHandler = { [calls = rig.calls] error in
            calls.record(error == nil ? "done" : "failed")
        }
        try player.start(atTime: 0)
        #expect(rig.wait { rig.board.level == 128 })
        rig.board.reset()
        #expect(rig.wait { rig.calls.has("reset") })
        #expect(rig.calls.all == ["failed", "reset"])
        #expect(code { try player.start(atTime: 0) } == .invalidPatternPlayer)
        let fresh = try rig.engine.makePlayer(with: .held(0.25, for: 50_000))
        #expect(code { try fresh.start(atTime: 0) } == .engineNotRunning)
        let reset = try #require(rig.board.transactions.last).start
        try rig.engine.start()
        try fresh.start(atTime: 0)
        #expect(rig.wait { !rig.levels(since: reset).isEmpty })
        #expect(Set(rig.levels(since: reset)) == [64], "no pattern from before the reset plays")
        rig.engine.stop()
    }

    @Test func anUnpluggedBoardIsASystemError() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        _ = rig.board.end()
        #expect(rig.wait { !rig.calls.all.isEmpty })
        #expect(rig.calls.all == ["stopped systemError"])
        let player = try rig.engine.makePlayer(with: .tap(1))
        #expect(code { try player.start(atTime: 0) } == .engineNotRunning)
    }

    @Test func theFinishedHandlerIsCalledWhenAllPlayersAreOver() throws {
        let rig = try EngineRig()
        try rig.engine.start()
        rig.engine.notifyWhenPlayersFinished { [calls = rig.calls] _ in
            calls.record("none plays")
            return .leaveEngineRunning
        }
        #expect(rig.wait { rig.calls.has("none plays") })
        try rig.engine.makePlayer(with: .held(0.5, for: 100_000)).start(atTime: 0)
        rig.engine.notifyWhenPlayersFinished { [calls = rig.calls] _ in
            calls.record("finished")
            return .stopEngine
        }
        try rig.engine.makePlayer(with: .held(0.5, for: 300_000)).start(atTime: 0)
        #expect(rig.wait { rig.calls.has("stopped notifyWhenFinished") })
        #expect(rig.calls.all == ["none plays", "finished", "stopped notifyWhenFinished"])
        let levels = rig.board.transactions.filter { $0.write?.register == 2 }
        let on = try #require(levels.first { $0.write?.value == 128 }).start
        let off = try #require(levels.last { $0.write?.value == 0 }).start
        #expect(off - on > 290_000)
    }

    @Test func anIdleEngineShutsDownAndAPlayerStartsItAgain() throws {
        let rig = try EngineRig()
        rig.engine.state.withLock { $0.shutdownDelay = 300_000 }
        rig.engine.isAutoShutdownEnabled = true
        try rig.engine.start()
        let player = try rig.engine.makePlayer(with: .held(0.5, for: 500_000))
        try player.start(atTime: 0)
        #expect(rig.wait { rig.calls.has("stopped idleTimeout") })
        #expect(rig.levels() == [128])
        try player.start(atTime: 0)
        #expect(rig.wait { rig.levels().count == 2 })
        rig.engine.stop()
    }

    @Test func patternsArePlayedWithoutAPlayerAndLieOverEachOther() throws {
        let rig = try EngineRig()
        let text = #"""
            {"Pattern": [{"Event": {"EventType": "HapticContinuous", "EventDuration": 0.4,
            "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 0.2}]}}]}
            """#
        try rig.engine.playPattern(from: Data(text.utf8))
        #expect(rig.wait { rig.levels() == [51] })
        let folder = Folder()
        let url = try folder.write(
            "loud.ahap", Data(text.replacingOccurrences(of: "0.2", with: "0.8").utf8))
        try rig.engine.playPattern(from: url)
        #expect(rig.wait { rig.levels().contains(204) })
        #expect(rig.wait { rig.board.isAtRest })
        #expect(rig.wait { rig.engine.state.withLock { $0.active.isEmpty && $0.released.isEmpty } })
        let missing = folder.url.appendingPathComponent("none.ahap")
        #expect(code { try rig.engine.playPattern(from: missing) } == .fileNotFound)
        #expect(code { try rig.engine.playPattern(from: Data()) } == .invalidPatternData)
    }

    @Test func aMutedEngineIsNotFelt() throws {
        let rig = try EngineRig()
        rig.engine.isMutedForHaptics = true
        try rig.engine.start()
        try rig.engine.makePlayer(with: .held(0.5, for: 600_000_000)).start(atTime: 0)
        #expect(!rig.wait(seconds: 0.3) { rig.board.level > 0 })
        rig.engine.isMutedForHaptics = false
        #expect(rig.wait { rig.board.level == 128 })
        rig.engine.stop()
        #expect(rig.wait { rig.board.isAtRest })
    }

    @Test func soundsAreCheckedAndNoLossOfTheActuator() throws {
        let rig = try EngineRig()
        let folder = Folder()
        let missing = folder.url.appendingPathComponent("none.wav")
        #expect(
            code { _ = try rig.engine.registerAudioResource(missing) } == .resourceNotAvailable)
        let sound = try rig.engine.registerAudioResource(folder.write("a.wav", Data([0])))
        let event = CHHapticEvent(audioResourceID: sound, parameters: [], relativeTime: 0)
        let pattern = try CHHapticPattern(events: [event], parameters: [])
        try rig.engine.start()
        try rig.engine.makePlayer(with: pattern).start(atTime: 0)
        #expect(rig.engine.rendering(of: pattern).items.isEmpty)
        try rig.engine.unregisterAudioResource(sound)
        #expect(code { _ = try rig.engine.makePlayer(with: pattern) } == .invalidAudioResource)
        #expect(
            code { try rig.engine.unregisterAudioResource(sound) } == .invalidAudioResource)
        #expect(!rig.board.hasDriven)
    }

    @Test func negativeTimesAndOffsetsAreRefused() throws {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        let player = try engine.makeAdvancedPlayer(with: .tap(1))
        #expect(code { try player.start(atTime: -1) } == .invalidTime)
        #expect(code { try player.pause(atTime: .nan) } == .invalidTime)
        #expect(code { try player.seek(toOffset: -0.1) } == .invalidTime)
    }

    @Test func whatNoPlayerCanPlayIsTakenAsTheNearestItCan() throws {
        let engine = CHHapticEngine(device: .port("/nowhere"))
        let player = try engine.makeAdvancedPlayer(with: .tap(1))
        let rates: [(given: Float, kept: Float)] = [
            (0, 1 / 64), (-1, 1 / 64), (1e-30, 1 / 64), (1e30, 64), (.infinity, 64), (.nan, 64),
            (2, 2),
        ]
        for rate in rates {
            player.playbackRate = rate.given
            #expect(player.playbackRate == rate.kept)
        }
        let ends: [(given: Double, kept: Double)] = [
            (-1, 0), (.infinity, 86_400), (1e300, 86_400), (.nan, 86_400), (1e-300, 1e-300),
        ]
        for end in ends {
            player.loopEnd = end.given
            #expect(player.loopEnd == end.kept)
        }
    }

    @Test func severalEnginesPlayAtOnce() throws {
        let rigs = try (0..<3).map { _ in try EngineRig() }
        for rig in rigs { try rig.engine.start() }
        for (index, rig) in rigs.enumerated() {
            try rig.engine.makePlayer(with: .held(Double(index + 1) / 5, for: 300_000))
                .start(atTime: 0)
        }
        for (index, rig) in rigs.enumerated() {
            #expect(rig.wait { Set(rig.levels()) == [51 * (index + 1)] && rig.board.isAtRest })
        }
    }

    @Test func enginesAndPlayersAreUsedFromManyTasksAtOnce() async throws {
        let rigs = try (0..<3).map { _ in try EngineRig() }
        let engines = rigs.map(\.engine)
        for engine in engines { try await engine.start() }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<12 {
                group.addTask {
                    await Self.play(on: engines, seed: UInt64(task))
                }
            }
        }
        for rig in rigs {
            try await rig.engine.stop()
            #expect(rig.board.hasDriven && rig.board.isAtRest)
            #expect(!rig.calls.all.contains { $0 != "reset" && $0 != "stopped idleTimeout" })
        }
    }

    /// Performs, in random order, the operations that an app may perform on engines and players.
    private static func play(on engines: [CHHapticEngine], seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let calls = CallLog()
        for _ in 0..<40 {
            let engine = engines.randomElement(using: &generator)!
            let value = Float.random(in: 0...1, using: &generator)
            let parameter = CHHapticDynamicParameter(
                parameterID: .hapticIntensityControl, value: value, relativeTime: 0)
            let refusal = code {
                let player = try engine.makeAdvancedPlayer(with: .held(0.5, for: 100_000))
                player.completionHandler = { _ in calls.record("done") }
                player.loopEnabled = Bool.random(using: &generator)
                try player.start(atTime: engine.currentTime + 0.01)
                try player.sendParameters([parameter], atTime: CHHapticTimeImmediate)
                player.playbackRate = 2
                player.isMuted = Bool.random(using: &generator)
                engine.isMutedForHaptics = false
                engine.stoppedHandler = { reason in calls.record("stopped \(reason)") }
                try player.pause(atTime: 0)
                try player.resume(atTime: 0)
                try player.seek(toOffset: 0.02)
                if Bool.random(using: &generator) { try player.stop(atTime: 0) }
            }
            #expect(refusal == nil)
            pause(5_000)
        }
        #expect(!calls.has("stopped systemError"))
    }

    @Test func rawValuesOfReasonsAndActionsAreCoreHapticsOnes() {
        #expect(
            CHHapticEngine.StoppedReason.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, -1])
        #expect(CHHapticEngine.FinishedAction.allCases.map(\.rawValue) == [1, 2])
        #expect(CHHapticTimeImmediate == 0)
    }
}
