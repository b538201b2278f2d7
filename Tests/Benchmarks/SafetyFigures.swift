// Figures for the time until the actuator is at rest after various failures. The committed images
// run on simulated microcontrollers in lock-step.

import BridgeLink
import CBridgeProtocol
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

struct SafetyFigures {
    private static let count = 20
    /// The time after which the checks of an awake chip repeat: three times 128 counts of 256 us.
    private static let checkPeriod: BoardTime = 3 * 128 * 256
    /// The number of stops whose longest time is `stop_us_chip_max`. A STOP takes longest if it
    /// arrives in the 0.2 ms before the end of one of the five checks in a period. With 2,000 stops,
    /// one arrives in every 49 us of the period, so about 20 arrive at such a time; with 20 stops,
    /// usually none does. The 2,000 stops take about half a minute per board.
    private static let stops = 2_000

    static func print() throws {
        for simulator in SimulatedBoard.here { try SafetyFigures(simulator: simulator).print() }
    }

    private let simulator: BoardSimulator

    private func print() throws {
        let board = simulator.figureSuffix
        note("safety of the \(simulator.name): STOP")
        printFigure("stop_us_chip_max\(board)", try longestStop(), "us")
        printFigure("stop_ms_saturated_max\(board)", try worst(saturatedStop) / 1_000, "ms")
        note("safety: silence, hangs, resets")
        printFigure("deadman_ms_max\(board)", try worst(silence) / 1_000, "ms")
        for (name, interruptsOn) in [("on", true), ("off", false)] {
            let time = try worst { try hang(seed: $0, interruptsOn: interruptsOn) }
            printFigure("hang_ms_max_irq_\(name)\(board)", time / 1_000, "ms")
        }
        let resets = try (0..<Self.count).map { try recovery(seed: $0) }
        let noticed = Deviations(resets.map { simulator.microseconds($0.noticed) / 1_000 })
        printFigure("reset_noticed_ms_max\(board)", noticed.max, "ms")
        let recoveries = Deviations(resets.map { simulator.microseconds($0.recovered) / 1_000 })
        printFigure("recovery_ms_p99\(board)", recoveries.percentile(0.99), "ms")
    }

    /// Returns the maximum of the times that `measure` returns for all seeds, in microseconds.
    private func worst(_ measure: (Int) throws -> Cycle) rethrows -> Double {
        simulator.microseconds(try (0..<Self.count).map(measure).max() ?? 0)
    }

    /// Returns a board that has driven a level for a time that depends on the seed.
    private func driving(seed: Int) throws -> SimulatedBoard {
        let board = try SimulatedBoard(simulator, age: 1_000_000, stride: 100)
        try board.drive(for: 100_000 + BoardTime(seed) * 1_237)
        return board
    }

    /// Returns the longest time from the arrival of STOP to the end of the write of level 0, in
    /// microseconds. One board carries out all stops. The golden ratio spreads them evenly over the
    /// period of the checks.
    private func longestStop() throws -> Double {
        let board = try SimulatedBoard(simulator, age: 1_000_000)
        let times = try (0..<Self.stops).map { stop in
            let phase = BoardTime(stop) * 60_757 % Self.checkPeriod
            return try stopTime(of: board, after: 100_000 + phase)
        }
        return simulator.microseconds(times.max() ?? 0)
    }

    /// Returns the time from the arrival of STOP to the end of the write of level 0, without other
    /// traffic on the line, after a level has been driven for `time`. Then waits for rest.
    private func stopTime(of board: SimulatedBoard, after time: BoardTime) throws -> Cycle {
        try board.drive(for: time)
        board.link.run(limit: 100_000) {
            $0.lineFree + 3_000 < $0.board.now
                && $0.session.nextDeadline ?? .never > $0.now + 2_000
        }
        // The link advances in steps of 500 us.
        board.board.advance(to: board.board.now + time % 500)
        let stop = Frame(type: .stop, payload: [UInt8](repeating: 0, count: 4))
        let bytes = BoardTime(stop.wireSize + 1)  // one more byte for the leading delimiter
        let sent = max(board.link.lineFree, board.board.now)
        _ = board.board.drainArrived()
        board.link.session.stop()
        board.link.send()
        board.link.run(for: 20_000)
        let end =
            board.board.drainArrived().first?.cycle
            ?? simulator.cycles(sent + bytes * board.link.session.timing.byteTime)
        let zero = try board.levelZero(after: end - simulator.cycles(60))
        guard board.link.run(limit: 1_000_000, until: { $0.current?.outcome != nil }) else {
            throw board.failure("does not come to rest")
        }
        board.board.forgetTrace()
        return zero - end
    }

    /// Returns the time from the host's call to the end of the write of level 0 while the line is
    /// saturated with commands.
    private func saturatedStop(seed: Int) throws -> Cycle {
        let board = try driving(seed: seed)
        for _ in 0..<100 {
            board.link.session.send(.gain(Gain(actuators: .all, gain: 255)))
            board.link.session.ask(.status)
            board.link.session.ask(.stream(0))
        }
        board.link.run(for: 5_000 + BoardTime(seed) * 211)
        let start = board.board.cycle
        board.link.session.stop()
        board.link.run(for: 50_000)
        return try board.levelZero(after: start) - start
    }

    /// Returns the time from the end of the last frame that the host sends to the end of the write
    /// of level 0.
    private func silence(seed: Int) throws -> Cycle {
        let board = try driving(seed: seed)
        board.board.advance(to: board.board.now + 400_000)
        let last =
            board.board.drainArrived().last?.cycle ?? simulator.cycles(board.link.lineFree)
        return try board.levelZero(after: last) - last
    }

    /// Returns the time from a hang of the main loop until the actuator is no longer driven.
    private func hang(seed: Int, interruptsOn: Bool) throws -> Cycle {
        let board = try driving(seed: seed)
        let start = board.board.cycle
        board.board.hang(interruptsOn: interruptsOn)
        board.board.advance(to: board.board.now + 2_000_000)
        guard let rest = board.board.trace.drives.last(where: { $0.cycle >= start }),
            rest.value == 0
        else { throw board.failure("continues to drive") }
        let end = board.board.trace.drives.first { $0.cycle >= start && $0.value == 0 }!
        return end.cycle - start
    }

    /// Returns the times from the watchdog's reset until the host detects the reset, and until a
    /// session is open again.
    private func recovery(seed: Int) throws -> (noticed: Cycle, recovered: Cycle) {
        let board = try driving(seed: seed)
        board.board.hang(interruptsOn: seed % 2 == 0)
        board.link.run(limit: 5_000_000) { $0.session.phase == .ended }
        guard let reset = board.board.trace.resets.last, reset.cause == .watchdog else {
            throw board.failure("was not reset by its watchdog")
        }
        let noticed = board.board.cycle - reset.cycle
        let again = IdealLink(board.board, sessionID: 0x2345_6789, stride: 100)
        guard again.connect() else { throw board.failure("does not connect after the reset") }
        return (noticed, board.board.cycle - reset.cycle)
    }
}

extension SimulatedBoard {
    /// Drives a level for a time, and throws if the actuator is not driven at the end of this time.
    fileprivate func drive(for time: BoardTime) throws {
        let held = [StreamEvent(.level(200), at: 0), StreamEvent(.end, at: 40_000)]
        link.begin(EventStreamEncoder.encode(held), start: .after(20_000))
        link.run(for: time)
        guard drive != 0 else { throw failure("does not drive") }
    }

    /// The level with which the chip currently drives the actuator.
    fileprivate var drive: Int { board.trace.drives.last?.value ?? 0 }

    /// Returns the end of the first write of level 0 that began after `cycle`.
    fileprivate func levelZero(after cycle: Cycle) throws -> Cycle {
        let zero = board.trace.transactions.first {
            $0.start >= cycle && $0.isAcknowledged && $0.bytes.count == 3 && $0.bytes[1] == 0x02
                && $0.bytes[2] == 0
        }
        guard let zero else { throw failure("did not write level 0") }
        return zero.stop
    }
}
