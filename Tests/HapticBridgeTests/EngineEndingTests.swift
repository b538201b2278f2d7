// Tests that the end of each engine, player and handler is reported exactly once, regardless of the
// order in which these objects are released.

import BridgeLink
import Dispatch
import Foundation
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBoards
@testable import HapticBridge

/// An object that calls a closure when the object is released.
private final class Farewell: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    deinit { action() }
}

@Suite(.virtualTime) struct EngineEndingTests {
    private let calls = CallLog()

    // MARK: Engines

    @Test func aStopIsReportedThoughTheEngineIsReleasedMeanwhile() throws {
        let board = try LiveBoard()
        var engine: HapticEngine? = HapticEngine(device: .port(board.port))
        try engine?.start()
        engine?.stop { [calls] _ in calls.record("stopped") }
        engine = nil
        #expect(wait { calls.all == ["stopped"] })
    }

    @Test(arguments: [true, false])
    func theLastTapIsFeltThoughTheEngineStopsWithItsPlayers(byHandler: Bool) throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        engine.stoppedHandler = { [calls] reason in calls.record("stopped \(reason)") }
        try engine.start()
        try engine.makePlayer(with: .tap(1)).start(atTime: CHHapticTimeImmediate)
        engine.notifyWhenPlayersFinished { [weak engine, calls] _ in
            guard !byHandler else { return .stopEngine }
            engine?.stop { _ in calls.record("at rest") }
            return .leaveEngineRunning
        }
        #expect(wait { calls.all == [byHandler ? "stopped notifyWhenFinished" : "at rest"] })
        let writes = board.transactions.filter { $0.write?.register == 2 }
        let tap = try #require(writes.firstIndex { $0.write?.value == 255 })
        let end = try #require(writes[tap...].first { $0.write?.value == 0 })
        // A coin LRA must be driven for 22 to 32 ms before it reaches its full intensity.
        #expect(end.start - writes[tap].start > 20_000)
        #expect(board.isAtRest)
    }

    /// Checks a player that a handler starts before the same handler requests to stop the engine.
    @Test func aPlayerThatIsStartedMeanwhileKeepsTheEngine() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        engine.stoppedHandler = { [calls] reason in calls.record("stopped \(reason)") }
        try engine.start()
        let next = try engine.makePlayer(with: .held(0.5, for: 1_000_000))
        engine.notifyWhenPlayersFinished { [calls] _ in
            try? next.start(atTime: CHHapticTimeImmediate)
            calls.record("started")
            return .stopEngine
        }
        try engine.makePlayer(with: .tap(1)).start(atTime: CHHapticTimeImmediate)
        #expect(wait { calls.all == ["started"] && board.level == 128 })
        pause(900_000)
        #expect(board.level == 128 && engine.isRunning)
        #expect(wait { board.level == 0 })
        #expect(calls.all == ["started"])
        engine.stop()
    }

    @Test func aStartOfAnEngineThatIsReleasedFails() throws {
        let board = try LiveBoard()
        var engine: HapticEngine? = HapticEngine(device: .port(board.port))
        engine?.start { [calls] error in calls.record(error == nil ? "started" : "failed") }
        engine = nil
        #expect(wait { !calls.all.isEmpty })
        #expect(calls.all == ["failed"])
    }

    @Test func aPatternWithoutAnEndDoesNotKeepItsEngine() throws {
        let board = try LiveBoard()
        var engine: HapticEngine? = HapticEngine(device: .port(board.port))
        weak let weakEngine = engine
        engine?.stoppedHandler = { [calls] reason in calls.record("stopped \(reason)") }
        let text = #"{"Pattern": [{"Event": {"EventType": "HapticContinuous", "Time": 0}}]}"#
        try engine?.playPattern(from: Data(text.utf8))
        #expect(wait { board.level > 0 })
        engine = nil
        #expect(weakEngine == nil)
        #expect(wait { board.isAtRest && calls.all == ["stopped engineDestroyed"] })
    }

    @Test func aPatternWithoutAnEndIsOverAfterHalfAMinute() {
        let voice = PlayerVoice(.held(0.5), endless: .limited)
        #expect(voice.end == 0, "the voice does not play yet")
        var playing = voice
        playing.start(at: 1_000_000)
        #expect(playing.finishTime == 31_000_000)
    }

    @Test func anEngineSaysWhetherItRuns() async throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        #expect(!engine.isRunning)
        try await engine.start()
        #expect(engine.isRunning)
        try await engine.stop()
        #expect(!engine.isRunning)
    }

    // MARK: Abandoned starts

    @Test func aStartOfABoardThatSaysNothingIsCancelled() async throws {
        let port = try SilentPort()
        let engine = HapticEngine(device: .port(port.path))
        let task = Task(executorPreference: taskExecutor) { try await engine.start() }
        #expect(wait { port.hasHeard })
        let begin = Link.now()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(Link.now() - begin < 1_000_000, "HELLO is repeated for 4 s")
        // The engine also closes the port immediately.
        #expect(wait(seconds: 2) { !port.isOpen })
    }

    @Test func aStopEndsAStartOfABoardThatSaysNothing() throws {
        let port = try SilentPort()
        let engine = HapticEngine(device: .port(port.path))
        engine.start { [calls] error in calls.record(error == nil ? "started" : "not started") }
        #expect(wait { port.hasHeard })
        let begin = Link.now()
        engine.stop { [calls] _ in calls.record("stopped") }
        #expect(wait { calls.all == ["not started", "stopped"] })
        #expect(Link.now() - begin < 1_000_000)
    }

    @Test func aStartHasTheTimeThatItsCallerGrants() async throws {
        let port = try SilentPort()
        let engine = HapticEngine(device: .port(port.path))
        let begin = Link.now()
        #expect(code { try engine.start(within: .milliseconds(700)) } == .engineStartTimeout)
        #expect(Link.now() - begin >= 700_000 && Link.now() - begin < 1_000_000)
        #expect(wait(seconds: 2) { !port.isOpen }, "the port is closed")
        let task = Task(executorPreference: taskExecutor) {
            try await engine.start(within: .milliseconds(700))
        }
        let error = await #expect(throws: HapticError.self) { try await task.value }
        #expect(error?.code == .engineStartTimeout && error?.message.contains("0.7 s") == true)
    }

    @Test func aStartThatHasSucceededInTimeRemainsSo() async throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        try await engine.start(within: .seconds(5))
        pause(6_000_000)
        #expect(engine.isRunning)
        try await engine.stop()
    }

    @Test func aStartThatSomeoneElseWaitsForContinues() async throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        let task = Task(executorPreference: taskExecutor) { try await engine.start() }
        engine.start { [calls] error in calls.record(error == nil ? "started" : "failed") }
        task.cancel()
        _ = try? await task.value
        #expect(wait { calls.all == ["started"] })
        try await engine.stop()
    }

    // MARK: Players

    @Test(arguments: ["loops", "is paused", "has no end"])
    func aReleasedPlayerIsOver(because reason: String) throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        do {
            let pattern = CHHapticPattern.held(0.5, for: reason == "has no end" ? nil : 60_000_000)
            let player = try engine.makeAdvancedPlayer(with: pattern)
            player.completionHandler = { [calls] error in
                calls.record(error == nil ? "over" : "failed")
            }
            player.loopEnabled = reason == "loops"
            try player.start(atTime: CHHapticTimeImmediate)
            #expect(wait { board.level == 128 })
            if reason == "is paused" { try player.pause(atTime: CHHapticTimeImmediate) }
            engine.notifyWhenPlayersFinished { [calls] _ in
                calls.record("all over")
                return .leaveEngineRunning
            }
        }
        #expect(wait { calls.all == ["over", "all over"] })
        #expect(wait { board.isAtRest })
        engine.state.withLock { #expect($0.completionHandlers.isEmpty && $0.released.isEmpty) }
        engine.stop()
    }

    // MARK: Handlers

    /// Checks that each of the app's closures is eventually released, and that the objects that the
    /// closure captures may call the engine when they are released.
    @Test func whatHandlersHoldMayCallTheEngineWhenItIsReleased() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        let farewells = CallLog()
        func farewell(_ name: String) -> Farewell {
            Farewell { [weak engine] in
                engine?.isMutedForHaptics = false
                _ = try? engine?.makePlayer(with: .tap(1))
                engine?.notifyWhenPlayersFinished { _ in .leaveEngineRunning }
                farewells.record(name)
            }
        }
        engine.resetHandler = { [farewell = farewell("reset")] in _ = farewell }
        engine.stoppedHandler = { [farewell = farewell("stopped")] _ in _ = farewell }
        engine.start { [farewell = farewell("start")] _ in _ = farewell }
        #expect(wait { engine.isRunning })
        let player = try engine.makeAdvancedPlayer(with: .tap(1))
        player.completionHandler = { [farewell = farewell("first")] _ in _ = farewell }
        player.completionHandler = { [farewell = farewell("completion")] _ in _ = farewell }
        try player.start(atTime: CHHapticTimeImmediate)
        engine.notifyWhenPlayersFinished { [farewell = farewell("finished")] _ in
            _ = farewell
            return .leaveEngineRunning
        }
        player.completionHandler = { _ in }
        engine.resetHandler = {}
        engine.stoppedHandler = { _ in }
        engine.stop { [farewell = farewell("stop")] _ in _ = farewell }
        #expect(
            wait {
                Set(farewells.all)
                    == ["reset", "stopped", "start", "first", "completion", "finished", "stop"]
            })
    }

    // MARK: Feedback

    @Test func feedbackWithoutABoardAsksOnceAndNoMore() throws {
        let device = HapticDevice(name: "none") { [calls] in
            calls.record("asked")
            throw TransportError.notFound(path: "none")
        }
        let engine = HapticEngine(device: device)
        let generator = ImpactFeedbackGenerator(engine: engine)
        generator.impactOccurred()
        #expect(wait { calls.has("asked") })
        #expect(wait { !engine.state.withLock { $0.run == .starting } })
        pause(50_000)
        for _ in 0..<1_000 { generator.impactOccurred() }
        pause(50_000)
        #expect(calls.count("asked") == 1)
    }

    /// Checks a board that takes so long to boot that the feedback would be too late to be useful.
    @Test func feedbackThatWouldBeLateIsDropped() throws {
        let board = try LiveBoard()
        let isLate = hostClock.makeSemaphore()
        let device = HapticDevice(name: "slow") { [port = board.port] in
            isLate.wait()
            return try HapticBoard(openPort(port))
        }
        let engine = HapticEngine(device: device)
        let generator = ImpactFeedbackGenerator(engine: engine)
        for _ in 0..<100 { generator.impactOccurred() }
        pause(400_000)
        isLate.signal()
        #expect(wait { engine.isRunning })
        pause(100_000)
        #expect(!board.hasDriven)
        engine.stop()
        #expect(wait { !engine.isRunning })
    }
}
