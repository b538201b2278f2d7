// Tests of a player that replaces another player in one step and begins in the middle of its
// pattern.

import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct ReplacedPlayerTests {
    /// Returns a pattern that holds a fifth of full intensity for two seconds, and then another
    /// level.
    private func late(_ level: Float) throws -> CHHapticPattern {
        func held(_ level: Float, from time: TimeInterval, for duration: TimeInterval)
            -> CHHapticEvent
        {
            CHHapticEvent(
                eventType: .hapticContinuous,
                parameters: [.init(parameterID: .hapticIntensity, value: level)],
                relativeTime: time, duration: duration)
        }
        return try CHHapticPattern(
            events: [held(0.2, from: 0, for: 2), held(level, from: 2, for: 600)], parameters: [])
    }

    /// Checks that the board does not output an intermediate level when one player replaces
    /// another: it must not play the beginning of a pattern, silence, or the sum of the two
    /// players' levels.
    @Test(arguments: [false, true])
    func nothingIsFeltBetweenThem(throughAnotherProcess isServed: Bool) throws {
        let board = try LiveBoard()
        let server =
            isServed
            ? try RunningTool(Tool.executable("bridge"), ["serve", "--port", board.port]) : nil
        if let server { #expect(wait { server.output.contains("served") }) }
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        var player = try #require(engine.makeAdvancedPlayer(with: late(0.5)) as? EnginePlayer)
        try player.start(atTime: CHHapticTimeImmediate, fromOffset: 2.5)
        #expect(wait { board.level == 128 })
        #expect(!board.levels(since: 0).contains(51))
        for run in 1...20 {
            let before = board.transactions.last!.start
            let next = try #require(
                engine.makeAdvancedPlayer(with: late(run.isMultiple(of: 2) ? 0.5 : 1))
                    as? EnginePlayer)
            try next.start(atTime: CHHapticTimeImmediate, fromOffset: 2.5, replacing: [player])
            player = next
            let level = run.isMultiple(of: 2) ? 128 : 255
            #expect(wait { board.level == level })
            let written = board.transactions.filter { $0.start > before }
                .compactMap { $0.write?.register == 2 ? $0.write?.value : nil }
            #expect(Set(written).isSubset(of: [128, 255]), "\(written)")
        }
        let isAtRest = hostClock.makeSemaphore()
        engine.stop { _ in isAtRest.signal() }
        isAtRest.wait()
        #expect(board.isAtRest)
        server?.signal(SIGINT)
        _ = server?.outcome()
    }
}
