// ImageProof: runs that apply only to an image: with interrupts that coincide in every possible
// cycle, and with more traffic than the image can process.

import BridgeLink
import TestSupport
import VirtualBoard

/// Runs that require an image, because the core in this process has no interrupts.
enum ImageProof {
    typealias MakeBoard = @Sendable () throws -> LockStepBoard

    private static let startTime: UInt32 = 20_000

    /// Sends `count` queries during dense playback, each starting at a different cycle.
    ///
    /// - Parameter spacing: the time between two levels, in microseconds.
    static func ask(
        _ count: Int, seed: UInt64 = 0, spacing: Double = 200, on board: LockStepBoard
    ) -> LineReport {
        let host = DenseHost(board, seed: seed, spacing: spacing, isPlain: false)
        host.connect()
        host.play(after: startTime)
        host.run(for: 40_000)
        while host.report.queries < count, board.failure == nil {
            host.askAtAnyPhase(within: 2_000)
        }
        return host.report
    }

    /// Sends a query so that its last byte is received in each of the given cycles of a window,
    /// during which the board sends the answer to another query. In each round, the other query is
    /// sent at the same phase of the sequence of levels.
    static func sweep(_ cycles: StrideTo<Int>, on board: LockStepBoard) -> LineReport {
        let host = DenseHost(board, seed: 0, spacing: 250, isPlain: false)
        host.connect()
        host.play(after: startTime)
        host.run(for: 40_000)
        var round = board.cycle
        for offset in cycles.map(Cycle.init) where board.failure == nil {
            host.feed()
            round += board.simulator.cycles(roundTime)
            host.run(to: round)
            host.ask(.clock, answer: .clockReply)
            host.ask(.stream(0), answer: .stream, after: offset)
            host.run(pastLineFor: answerTime)
        }
        return host.report
    }

    /// The length of a round, which is the duration of sixteen levels. This time is sufficient for
    /// CLOCK, its answer, and the bytes that the board may receive while it sends the answer.
    private static let roundTime: BoardTime = 4_000
    private static let answerTime: BoardTime = 2_000

    /// Sends, during playback, all messages that a host may have in transit at the same time: a
    /// window of sequenced messages, STOP, MUTE and two queries (SPEC 4.4). Returns the report and
    /// the board's status afterwards.
    static func fill(
        seed: UInt64, actuators: Int, on board: LockStepBoard
    ) -> (LineReport, Status?) {
        let host = DenseHost(
            board, seed: seed, spacing: 250, isPlain: false, actuators: actuators)
        host.connect()
        host.play(after: startTime)
        for round in 0..<8 as Range<Cycle> {
            host.run(to: board.cycle + board.simulator.cycles(60_000) + 777 * round)
            host.sendAllAtOnce(id: UInt8(round + 1))
            host.run(pastLineFor: LineReferee.answerLimit)
            host.play(after: startTime)
        }
        host.ask(.status, answer: .status)
        host.run(pastLineFor: LineReferee.answerLimit + 1)
        return (host.report, host.status)
    }

    /// Runs a seeded host that continuously sends queries, and occasionally sends more bytes than
    /// the board can buffer.
    static func storm(seed: UInt64, on board: LockStepBoard) -> LineReport {
        var random = SeededGenerator(seed: ~seed)
        let host = DenseHost(
            board, seed: seed, spacing: .random(in: 110...400, using: &random),
            isPlain: random.chance(oneIn: 3))
        host.connect()
        for _ in 0..<2 {
            host.play(after: .random(in: 10_000...40_000, using: &random))
            play(on: host, for: 40_000)
            if !random.chance(oneIn: 4) {
                host.burst(DenseHost.Burst.allCases.randomElement(using: &random)!)
            }
            play(on: host, for: 40_000)
            greet(on: host)
        }
        host.stop()
        host.run(pastLineFor: LineReferee.answerLimit + 1)
        return host.report
    }

    /// Sends HELLO again in the current session once nothing is in transit, because the board
    /// stores only one receive time for HELLO and CLOCK together.
    private static func greet(on host: DenseHost) {
        host.run(for: LineReferee.answerLimit)
        host.sayHello()
        host.run(pastLineFor: 10_000)
    }

    private static func play(on host: DenseHost, for time: BoardTime) {
        let end = host.board.now + time
        while host.board.now < end { host.askAtAnyPhase(within: 1_500) }
    }
}
