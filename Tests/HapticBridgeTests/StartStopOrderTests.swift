// Tests of simultaneous starts, stops, resets and idle shutdowns of one engine.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import HapticBridge

@Suite(.virtualTime) struct StartStopOrderTests {
    private let calls = CallLog()

    /// Returns a handler that records the result of an asynchronous operation.
    private func recording(_ what: String) -> HapticEngine.CompletionHandler {
        { [calls] error in calls.record(error.map { "\(what): \($0)" } ?? what) }
    }

    @Test func aStopAfterAStartIsTheLastWord() async throws {
        let board = try LiveBoard()
        for _ in 0..<10 {
            let engine = HapticEngine(device: .port(board.port))
            let before = calls.all.count
            engine.start(completionHandler: recording("started"))
            engine.stop(completionHandler: recording("stopped"))
            #expect(wait { calls.all.count == before + 2 })
            #expect(engine.state.withLock { $0.run } == .stopped)
        }
    }

    @Test func aStopIsNotUndoneByWhoWaitsForTheStartBeforeIt() async throws {
        let board = try LiveBoard()
        for _ in 0..<20 {
            let engine = HapticEngine(device: .port(board.port))
            let before = calls.all.count
            for _ in 0..<4 { engine.start(completionHandler: recording("started")) }
            try #require(wait { engine.isRunning })
            engine.stop(completionHandler: recording("stopped"))
            #expect(wait { calls.all.count == before + 5 })
            #expect(engine.state.withLock { $0.run } == .stopped)
        }
    }

    @Test(arguments: [0, 2_000, 5_000, 20_000, 80_000] as [Microseconds])
    func aStartContinuesWhereTheBoardIsResetAgain(delay: Microseconds) async throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        engine.resetHandler = { [calls] in calls.record("reset") }
        try await engine.start()
        board.reset()
        #expect(wait { calls.all == ["reset"] })
        board.reset()
        pause(delay)
        engine.start(completionHandler: recording("started"))
        #expect(wait { calls.all.contains("started") })
        try await engine.stop()
    }

    /// Checks starts after random pauses that are about as long as the idle time, so that starts
    /// occur in every phase of the shutdown.
    @Test func whatIsStartedWhileAnEngineShutsDownIsFelt() async throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        engine.state.withLock { $0.shutdownDelay = 20_000 }
        engine.isAutoShutdownEnabled = true
        try await engine.start()
        let player = try engine.makePlayer(with: .tap(1))
        var random = SeededGenerator(seed: 9)
        for round in 1...40 {
            try player.start(atTime: CHHapticTimeImmediate)
            #expect(wait { board.levels(since: 0).count == round })
            pause(.random(in: 25_000...80_000, using: &random))
        }
        try await engine.stop()
    }
}
