// Tests of the reports of an engine other than calls of its handlers: a sequence of events, the
// ends of players, statistics, and a log.

import BridgeLink
import Foundation
import HapticPatterns
import InMemoryLogging
import Logging
import SerialPorts
import TestSupport
import Testing

@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct EngineEventTests {
    /// Returns the next event as text, or nil if there is no further event.
    private static func next(
        _ events: inout AsyncStream<HapticEngine.Event>.Iterator
    ) async -> String? {
        await events.next().map { "\($0)" }
    }

    // MARK: Events

    @Test func theLifeOfAnEngineIsASequence() async throws {
        let board = try LiveBoard()
        var engine: HapticEngine? = HapticEngine(device: .port(board.port))
        var events = engine!.events.makeAsyncIterator()
        try await engine!.start()
        #expect(await Self.next(&events) == "started")
        board.reset()
        #expect(await Self.next(&events) == "reset")
        try await engine!.start()
        #expect(await Self.next(&events) == "started")
        try await engine!.stop()
        #expect(await Self.next(&events) == "stopped(nil)")
        engine = nil
        #expect(await Self.next(&events) == nil, "the sequence ends with the engine")
    }

    @Test func aReleaseIsTheLastEvent() async throws {
        let board = try LiveBoard()
        var engine: HapticEngine? = HapticEngine(device: .port(board.port))
        try await engine!.start()
        let events = engine!.events
        let others = engine!.events
        engine = nil
        for events in [events, others] {
            var received: [String] = []
            for await event in events { received.append("\(event)") }
            #expect(
                received.count == 1 && received[0].hasSuffix("engineDestroyed))"), "\(received)")
        }
    }

    @Test func aSequenceThatNobodyReadsAnyMoreIsForgotten() async throws {
        let engine = HapticEngine(device: .port("/nowhere"))
        let task = Task(executorPreference: taskExecutor) { for await _ in engine.events {} }
        while engine.state.withLock({ $0.observers.isEmpty }) { await Task.yield() }
        task.cancel()
        await task.value
        #expect(engine.state.withLock { $0.observers.isEmpty })
    }

    @Test func aFaultOfTheBoardIsReported() async throws {
        let rig = try SteppedEngine(actuators: 2)
        var events = rig.core.events().makeAsyncIterator()
        #expect(rig.start())
        #expect(await Self.next(&events) == "started")
        rig.run(for: 100_000)
        #expect(rig.core.state.withLock { $0.statistics.faultCount } == 0)
        let player = try EnginePlayer(.held(0.5), of: rig.core, keeping: nil)
        try player.start(atTime: CHHapticTimeImmediate)
        rig.run(for: 100_000)
        rig.board.chip(1, .power(false))
        rig.run(for: 1_000_000)
        guard case .faults(let error) = await events.next() else {
            Issue.record("no fault is reported")
            return
        }
        #expect(!error.faults.isEmpty && error.advice.contains { $0.contains("pull-up") })
        let statistics = rig.core.state.withLock { $0.statistics }
        #expect(statistics.faultCount > 0 && statistics.faults.isSuperset(of: error.faults))
        #expect(statistics.busErrors > 0)
    }

    @Test func thatNoOtherProgramCanUseTheBoardIsReported() async throws {
        let board = try LiveBoard()
        let folder = Folder()
        let place = folder.path("haptic-bridge")
        try Data().write(to: URL(fileURLWithPath: place))
        HostProgram.current.setVariable("XDG_RUNTIME_DIR", to: folder.url.path)
        let engine = HapticEngine(device: .port(board.port).served(by: .ownProgram))
        var events = engine.events.makeAsyncIterator()
        try await engine.start()
        guard case .unshared(let reason) = await events.next() else {
            Issue.record("no event is reported")
            return
        }
        #expect(reason == "\(place): not a folder; delete this file")
        #expect(await Self.next(&events) == "started")
        try await engine.stop()
    }

    // MARK: The ends of players

    @Test func theEndOfAPlayerIsWaitedFor() async throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        try await engine.start()
        let player = try engine.makePlayer(with: .held(0.5, for: 50_000))
        try await player.finished
        #expect(!board.hasDriven, "a player that was not started has finished")
        try player.start(atTime: CHHapticTimeImmediate)
        try await player.finished
        #expect(board.levels(since: 0) == [128])
        try await engine.stop()
    }

    @Test func theEndOfAPlayerWhoseBoardGoesIsAnError() async throws {
        let board = try LiveBoard()
        let (engine, _, task) = try await playerThatIsWaitedFor(on: board)
        board.reset()
        let error = await #expect(throws: HapticError.self) { try await task.value }
        #expect(error?.code == .serverInterrupted)
        try await engine.stop()
    }

    @Test func aTaskThatIsCancelledWaitsForNoPlayer() async throws {
        let board = try LiveBoard()
        let (engine, player, task) = try await playerThatIsWaitedFor(on: board)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // An endless player ends as soon as no references to the player remain.
        withExtendedLifetime(player) {
            #expect(wait { board.level == 128 }, "it plays on")
        }
        try await engine.stop()
    }

    /// Returns an engine, a player that holds a level endlessly, and a task that waits for the end
    /// of the player.
    private func playerThatIsWaitedFor(
        on board: LiveBoard
    ) async throws -> (HapticEngine, EnginePlayer, Task<Void, any Error>) {
        let engine = HapticEngine(device: .port(board.port))
        try await engine.start()
        let player = try EnginePlayer(.held(0.5), of: engine.core, keeping: engine)
        try player.start(atTime: CHHapticTimeImmediate)
        let task = Task(executorPreference: taskExecutor) { try await player.finished }
        while engine.state.withLock({ $0.endWaiters.isEmpty }) { await Task.yield() }
        return (engine, player, task)
    }

    // MARK: Figures

    @Test func anEngineKnowsHowItPlays() async throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        #expect(engine.statistics == HapticEngine.Statistics())
        try await engine.start()
        let player = try engine.makePlayer(with: .held(0.5, for: 300_000))
        try player.start(atTime: CHHapticTimeImmediate)
        try await player.finished
        let statistics = engine.statistics
        let bound = try #require(statistics.clockBound)
        let error = try #require(statistics.onsetError)
        #expect(bound > .zero && bound <= .milliseconds(5))
        #expect(error >= bound && error < .milliseconds(100))
        #expect(statistics.link.bytesSent > 0 && statistics.link.bytesReceived > 0)
        #expect(statistics.faultCount == 0 && statistics.faults.isEmpty)
        try await engine.stop()
        #expect(engine.statistics.link.bytesSent >= statistics.link.bytesSent)
    }

    @Test func aLineThatDamagesFramesIsInTheFigures() throws {
        let rig = try SteppedEngine()
        #expect(rig.start())
        var count = 0
        rig.toHost = { frame in
            count += 1
            return count.isMultiple(of: 3) ? [] : [frame]
        }
        let player = try EnginePlayer(.held(0.5), of: rig.core, keeping: nil)
        try player.start(atTime: CHHapticTimeImmediate)
        rig.run(for: 2_000_000)
        #expect(rig.core.state.withLock { $0.statistics.link.timeouts } > 0)
    }

    // MARK: The log

    @Test func aLogRecordsWhatHappens() async throws {
        let board = try LiveBoard()
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        let engine = HapticEngine(device: .port(board.port))
        engine.logger = logger
        var events = engine.events.makeAsyncIterator()
        try await engine.start()
        board.reset()
        #expect(await Self.next(&events) == "started")
        #expect(await Self.next(&events) == "reset")
        try await engine.stop()
        engine.core.callbacks.drain()
        func messages(_ level: Logger.Level) -> [String] {
            handler.entries.filter { $0.level == level }.map { "\($0.message)" }
        }
        #expect(messages(.debug) == ["the board is at \(board.port)"])
        #expect(messages(.info) == ["the engine has started", "the engine has stopped"])
        #expect(messages(.warning) == ["the board was reset"])
        let frames = messages(.trace)
        #expect(frames.contains { $0.hasPrefix("sent hello(") }, "of the new session")
        #expect(frames.contains { $0.hasPrefix("sent command(") })
        #expect(frames.contains { $0.hasPrefix("received acknowledge(") })
    }

    @Test func framesAreNotLookedAtWithoutALog() async throws {
        let board = try LiveBoard()
        let handler = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in handler }
        let engine = HapticEngine(device: .port(board.port))
        try await engine.start()
        engine.logger = logger
        let player = try engine.makePlayer(with: .held(0.5, for: 20_000))
        try player.start(atTime: CHHapticTimeImmediate)
        try await player.finished
        engine.logger = nil
        try await engine.stop()
        engine.core.callbacks.drain()
        #expect(handler.entries.isEmpty, "nothing is logged without a logger")
    }

    @Test func aStartThatFailsIsLogged() async throws {
        let handler = InMemoryLogHandler()
        let engine = HapticEngine(device: .port("/nowhere"))
        engine.logger = Logger(label: "test") { _ in handler }
        await #expect(throws: HapticError.self) { try await engine.start() }
        engine.core.callbacks.drain()
        #expect(handler.entries.map(\.level) == [.warning])
        #expect("\(handler.entries[0].message)".contains("/nowhere"))
        #expect(handler.entries[0].metadata["board"] == "/nowhere")
    }
}
