// SimulatedBoard: a configured simulated board with a host session, for measurements.

import BridgeLink
import CBridgeProtocol
import DRV2605
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

/// A committed image that runs on its simulator.
final class SimulatedBoard {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The available simulators. Prints a note about each missing simulator.
    static var here: [BoardSimulator] {
        [BoardSimulator.atmega328p, .pico].filter { simulator in
            if let absence = simulator.absence { note("skipped: \(absence) (make simulator)") }
            return simulator.absence == nil
        }
    }

    let board: LockStepBoard
    let link: IdealLink
    /// The time of tick 0 on the device's clock.
    private var startTime: UInt32 = 0

    /// - Parameters:
    ///   - age: the time since power-up at which the host connects. The device's clock wraps around
    ///     after 60 s, so that every run includes the wrap-around.
    ///   - options: options of the simulator, for example `["--sensor", "lis3dh"]`.
    init(
        _ simulator: BoardSimulator, age: BoardTime = 57_000_000, stride: BoardTime = 500,
        options: [String] = []
    ) throws {
        board = try LockStepBoard(simulator, options: options)
        board.advance(to: age)
        link = IdealLink(board, stride: stride)
        guard link.connect() else { throw failure("does not connect") }
        guard try link.carryOut(.configure(.coinLRA, actuator: 0)) == nil else {
            throw failure("rejects its configuration")
        }
        link.run(for: 50_000)
        board.forgetTrace()
    }

    func failure(_ what: String) -> Failure {
        Failure(description: "the simulated board \(what); \(board.failure ?? "it runs")")
    }

    /// Plays events followed by END.
    ///
    /// - Parameter saves: true if the configuration is saved halfway through playback.
    func play(
        _ events: [StreamEvent], tick: BoardTime, fillsWire: Bool, saves: Bool = false
    ) throws {
        let end = events.last.map { $0.tick + 2_000 } ?? 0
        let bytes = EventStreamEncoder.encode(events + [StreamEvent(.end, at: end)])
        link.begin(bytes, tick: Int(tick), start: .after(400_000))
        let line = fillsWire ? SaturatedLine(of: link, to: board) : nil
        let limit = board.now + BoardTime(end) * tick + 3_000_000
        var isSaved = !saves
        while link.current?.outcome == nil {
            guard board.now < limit else { throw failure("does not finish the playback") }
            if !isSaved, board.now > limit - 3_000_000 - BoardTime(end) * tick / 2 {
                link.session.send(.save(actuator: 0))
                isSaved = true
            }
            link.step()
            line?.fill()
        }
        guard let playback = link.current, playback.progress.isClean,
            try playback.outcome?.get() == .played, let start = playback.progress.startTime
        else {
            throw failure("did not play all events: \(String(describing: link.current?.progress))")
        }
        startTime = start
    }

    /// Returns the lateness of each level on the bus, in microseconds: for the START request of the
    /// write, and for the end of its STOP condition.
    func deviations(of events: [StreamEvent], tick: BoardTime) throws
        -> [(start: Double, stop: Double)]
    {
        guard let origin = board.trace.cycle(ofDeviceClock: startTime) else {
            throw failure("has not started its clock")
        }
        let simulator = board.simulator
        let due = Self.writeTimes(of: events, tick: tick).map { origin + simulator.cycles($0) }
        let writes = board.trace.transactions.filter {
            $0.isAcknowledged && $0.bytes.count == 3 && $0.bytes[1] == 0x02
                && $0.start > origin - simulator.cycles(1_000)
        }
        guard writes.count >= due.count else {
            throw failure("wrote \(writes.count) of \(due.count) levels")
        }
        return zip(due, writes).map { due, write in
            (simulator.microseconds(write.start - due), simulator.microseconds(write.stop - due))
        }
    }

    /// Returns the times at which levels are due on the bus, in microseconds from tick 0. Each
    /// event must change the level.
    private static func writeTimes(of events: [StreamEvent], tick: BoardTime) -> [BoardTime] {
        events.flatMap { event -> [BoardTime] in
            let start = BoardTime(event.tick) * tick
            switch event.content {
            case .level: return [start]
            case .levelRamp(_, let duration):
                let step = BoardTime(BRIDGE_RAMP_STEP_US)
                return (1...BoardTime(duration) * tick / step).map { start + $0 * step }
            default: return []
            }
        }
    }
}
