// Runs that are about the image alone: interrupts that meet at every cycle, and more than it can take.

import BridgeLink
import TestSupport

/// What the core in this process cannot show: it has no interrupts.
public enum ImageProof {
    public typealias MakeBoard = @Sendable () throws -> LockStepBoard

    private static let microsecond = CycleTrace.cyclesPerMicrosecond
    private static let startTime: UInt32 = 20_000

    /// Asks so many queries during dense play, each from another cycle on.
    ///
    /// - Parameter spacing: from level to level, in microseconds.
    public static func ask(
        _ count: Int, seed: UInt64 = 0, spacing: Double = 200, on board: LockStepBoard
    ) -> LineReport {
        let host = DenseHost(board, seed: seed, spacing: spacing, isPlain: false)
        host.connect()
        host.play(after: startTime)
        host.run(to: board.cycle + 40_000 * microsecond)
        while host.report.queries < count, board.failure == nil {
            host.askAtAnyPhase(within: 32_000)
        }
        return host.report
    }

    /// Has the last byte of a query arrive at each cycle of a window, while the answer to another is
    /// sent and ends: the first one is asked in each round at the same place of the levels' grid.
    public static func sweep(_ cycles: Int, on board: LockStepBoard) -> LineReport {
        let host = DenseHost(board, seed: 0, spacing: 250, isPlain: false)
        host.connect()
        host.play(after: startTime)
        host.run(to: board.cycle + 40_000 * microsecond)
        var round = board.cycle
        for offset in 0..<Cycle(cycles) where board.failure == nil {
            host.feed()
            round += roundCycles
            host.run(to: round)
            host.ask(.clock, answer: .clockReply)
            host.ask(.stream(0), answer: .stream, after: offset)
            host.run(to: max(board.lineFree, board.cycle) + answerCycles)
        }
        return host.report
    }

    /// Sixteen levels: CLOCK, its answer, and what may come while that is sent.
    private static let roundCycles: Cycle = 4_000 * microsecond
    private static let answerCycles: Cycle = 2_000 * microsecond

    /// Has all that a host may have under way arrive at once during play: the window of what is sent in
    /// order, STOP, MUTE and two queries (SPEC 4.4). Returns what the board says of itself then.
    public static func fill(
        seed: UInt64, actuators: Int, on board: LockStepBoard
    ) -> (LineReport, Status?) {
        let host = DenseHost(
            board, seed: seed, spacing: 250, isPlain: false, actuators: actuators)
        host.connect()
        host.play(after: startTime)
        for round in 0..<8 as Range<Cycle> {
            host.run(to: board.cycle + 60_000 * microsecond + 777 * round)
            host.sendAllAtOnce(id: UInt8(round + 1))
            host.run(to: board.lineFree + LineReferee.answerLimit)
            host.play(after: startTime)
        }
        host.ask(.status, answer: .status)
        host.run(to: board.lineFree + LineReferee.answerLimit + 1)
        return (host.report, host.status)
    }

    /// What a seed makes of a host that sends too much from time to time, and asks all the time.
    public static func storm(seed: UInt64, on board: LockStepBoard) -> LineReport {
        var random = SeededGenerator(seed: ~seed)
        let host = DenseHost(
            board, seed: seed, spacing: .random(in: 110...400, using: &random),
            isPlain: random.chance(oneIn: 3))
        host.connect()
        for _ in 0..<2 {
            host.play(after: .random(in: 10_000...40_000, using: &random))
            play(on: host, for: 40_000 * microsecond)
            if !random.chance(oneIn: 4) {
                host.burst(DenseHost.Burst.allCases.randomElement(using: &random)!)
            }
            play(on: host, for: 40_000 * microsecond)
            greet(on: host)
        }
        host.stop()
        host.run(to: max(board.lineFree, board.cycle) + LineReferee.answerLimit + 1)
        return host.report
    }

    /// HELLO again, in the session that there is, once nothing is under way: the board keeps one time for
    /// it and for CLOCK.
    private static func greet(on host: DenseHost) {
        host.run(to: host.board.cycle + LineReferee.answerLimit)
        host.sayHello()
        host.run(to: host.board.lineFree + 10_000 * microsecond)
    }

    private static func play(on host: DenseHost, for time: Cycle) {
        let end = host.board.cycle + time
        while host.board.cycle < end { host.askAtAnyPhase(within: 24_000) }
    }
}
