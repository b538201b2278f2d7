// Figures of how soon the actuator is at rest, whatever fails: the committed image on the simulated
// ATmega328P in lock-step.

import BridgeLink
import CBridgeProtocol
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

enum SafetyFigures {
    private static let count = 20

    static func print() throws {
        guard SimulatedBoard.isHere() else { return }
        note("safety: STOP")
        printFigure("stop_us_chip_max", try worst { try stop(seed: $0) } / 16, "us")
        printFigure(
            "stop_ms_saturated_max", try worst { try saturatedStop(seed: $0) } / 16_000, "ms")
        note("safety: silence, hangs, resets")
        printFigure("deadman_ms_max", try worst { try silence(seed: $0) } / 16_000, "ms")
        printFigure(
            "hang_ms_max_irq_on", try worst { try hang(seed: $0, interruptsOn: true) } / 16_000,
            "ms")
        printFigure(
            "hang_ms_max_irq_off", try worst { try hang(seed: $0, interruptsOn: false) } / 16_000,
            "ms")
        let resets = try (0..<count).map { try recovery(seed: $0) }
        let noticed = Deviations(resets.map { Double($0.noticed) / 16_000 })
        printFigure("reset_noticed_ms_max", noticed.max, "ms")
        let recoveries = Deviations(resets.map { Double($0.recovered) / 16_000 })
        printFigure("recovery_ms_p99", recoveries.percentile(0.99), "ms")
    }

    private static func worst(_ measure: (Int) throws -> Cycle) rethrows -> Double {
        Double(try (0..<count).map(measure).max() ?? 0)
    }

    /// Returns a board that drives at a level, at a moment that depends on the seed.
    private static func driving(seed: Int, stride: BoardTime = 100) throws -> SimulatedBoard {
        let board = try SimulatedBoard(age: 1_000_000, stride: stride)
        let held = [StreamEvent(.level(200), at: 0), StreamEvent(.end, at: 40_000)]
        board.link.begin(EventStreamEncoder.encode(held), start: .after(20_000))
        board.link.run(for: 100_000 + BoardTime(seed) * 1_237)
        guard board.drive != 0 else { throw board.failure("does not drive") }
        return board
    }

    /// Returns the time from the last stop bit of STOP to the end of the write of level 0, with
    /// nothing else on the line.
    private static func stop(seed: Int) throws -> Cycle {
        let board = try driving(seed: seed)
        board.link.run(limit: 100_000) {
            $0.lineFree + 3_000 < $0.board.now
                && $0.session.nextDeadline ?? .never > $0.now + 2_000
        }
        let stop = Frame(type: .stop, payload: [UInt8](repeating: 0, count: 4))
        let bytes = BoardTime(stop.wireSize + 1)  // and the delimiter that leads it
        let sent = max(board.link.lineFree, board.board.now)
        board.link.session.stop()
        board.link.speak()
        let end =
            (sent + bytes * board.link.session.timing.byteTime) * CycleTrace.cyclesPerMicrosecond
        board.link.run(for: 20_000)
        return try board.levelZero(after: end - 1_000) - end
    }

    /// Returns the time from the host's call to the end of the write of level 0, with the line full
    /// of commands.
    private static func saturatedStop(seed: Int) throws -> Cycle {
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

    /// Returns the time from the end of the last frame to the end of the write of level 0.
    private static func silence(seed: Int) throws -> Cycle {
        let board = try driving(seed: seed)
        let last = board.link.lineFree * CycleTrace.cyclesPerMicrosecond
        board.board.advance(to: board.board.now + 400_000)
        return try board.levelZero(after: last) - last
    }

    /// Returns the time from a hang of the main loop until the actuator is no longer driven.
    private static func hang(seed: Int, interruptsOn: Bool) throws -> Cycle {
        let board = try driving(seed: seed)
        let start = board.board.cycle
        board.board.hang(interruptsOn: interruptsOn)
        board.board.advance(to: board.board.now + 2_000_000)
        guard let rest = board.board.trace.drives.last(where: { $0.cycle >= start }),
            rest.value == 0
        else { throw board.failure("drives on") }
        let end = board.board.trace.drives.first { $0.cycle >= start && $0.value == 0 }!
        return end.cycle - start
    }

    /// Returns the times from the reset by the watchdog until the host knows of it and until a
    /// session is open again.
    private static func recovery(seed: Int) throws -> (noticed: Cycle, recovered: Cycle) {
        let board = try driving(seed: seed)
        board.board.hang(interruptsOn: seed % 2 == 0)
        board.link.run(limit: 5_000_000) { $0.session.phase == .ended }
        guard let reset = board.board.trace.resets.last, reset.cause == .watchdog else {
            throw board.failure("was not reset by its watchdog")
        }
        let noticed = board.board.cycle - reset.cycle
        let again = IdealLink(board.board, sessionID: 0x2345_6789, stride: 100)
        guard again.connect() else { throw board.failure("does not connect again") }
        return (noticed, board.board.cycle - reset.cycle)
    }
}

extension SimulatedBoard {
    /// The value that the chip drives now.
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
