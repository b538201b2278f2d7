// PacedFigures: figures of the simulated boards, which run in real time on pseudo-terminals. A
// program on this computer measures the boards, so the figures depend on the computer and its other
// load.

import BridgeLink
import DRV2605
import Foundation
import HapticCompiler
import SerialPorts
import TestSupport

struct PacedFigures {
    private static let stops = 40
    private static let seconds = 60.0
    /// The interval between two taps.
    private static let spacing: Microseconds = 50_000

    static func print() throws {
        for simulator in SimulatedBoard.here { try PacedFigures(simulator: simulator).print() }
    }

    private let simulator: BoardSimulator
    private var board: String { simulator.figureSuffix }

    private func print() throws {
        note("the simulated \(simulator.name) at the pace of the wall clock: STOP")
        try printStops()
        note("the same: accuracy of the clock, for \(Int(Self.seconds)) s")
        try printClock()
        note("the same: events per second")
        try printRate()
    }

    /// Starts a board program, connects to its board and configures it.
    private func connect() throws -> (BoardProgram, Link) {
        let program = try BoardProgram(simulator)
        let link = Link(try openPort(program.port))
        _ = try link.connect()
        try link.carryOut(.configure(.coinLRA, actuator: 0))
        try link.run(until: Link.now() + 50_000)
        return (program, link)
    }

    /// Prints the time from the call of `stop` to the board's answer. The board answers when it has
    /// begun to stop the actuator.
    private func printStops() throws {
        let (program, link) = try connect()
        defer { link.close() }
        let held = [StreamEvent(.level(200), at: 0), StreamEvent(.end, at: 40_000)]
        let times = try (0..<Self.stops).map { index in
            var playback = playback(of: held)
            link.withSession { playback.begin(&$0, at: $1) }
            let end = Link.now() + 100_000 + Microseconds(index) * 370
            while Link.now() < end { try link.carryOn(&playback, until: end) }
            let calledAt = Link.now()
            try link.stop()
            return Double(Link.now() - calledAt) / 1_000
        }
        withExtendedLifetime(program) {}
        let deviations = Deviations(times)
        printFigure("stop_ms_p50_paced\(board)", deviations.percentile(0.5), "ms")
        printFigure("stop_ms_p99_paced\(board)", deviations.percentile(0.99), "ms")
    }

    /// Prints the timing accuracy of taps at given times on the host's clock while another program
    /// keeps a processor busy. Also prints the accuracy of the board's clock that the session has
    /// reported.
    private func printClock() throws {
        let busy = Process()
        busy.executableURL = URL(filePath: "/bin/sh")
        // The time limit ends the process if this program cannot end it.
        busy.arguments = ["-c", "ulimit -t 90; while :; do :; done"]
        try busy.run()
        defer { busy.terminate() }
        let (program, link) = try connect()
        defer { link.close() }
        let count = Int(Self.seconds * 1_000_000 / Double(Self.spacing))
        let events = [StreamEvent].differingLevels(
            count, ticksApart: Int(Self.spacing) / 250, seed: 7)
        let end = StreamEvent(.end, at: events[count - 1].tick + 400)
        var claims: [(time: HostTime, estimate: ClockEstimate<DeviceTime>)] = []
        let start = Link.now() + 300_000
        let playback = Playback(
            events: EventStreamEncoder.encode(events + [end]), actuators: ActuatorMask(index: 0),
            start: .at(start))
        try link.play(playback) { _ in
            let now = Link.now()
            link.session.clock.deviceTime(at: now).map { claims.append((now, $0)) }
            return true
        }
        let trace = CycleTrace(program.traceText, of: simulator)
        print(onsets(of: events, since: start, in: trace))
        print(claims, in: trace)
    }

    /// Returns the lateness of each level, in microseconds.
    private func onsets(
        of events: [StreamEvent], since start: HostTime, in trace: CycleTrace
    ) -> [Double] {
        let writes = trace.transactions.compactMap { transaction in
            (transaction.level ?? 0) > 0 ? trace.hostTime(of: transaction.start) : nil
        }
        return zip(events, writes.suffix(events.count)).map { event, time in
            time - Double(start.microseconds) - Double(event.tick) * 250
        }
    }

    private func print(_ onsets: [Double]) {
        let errors = Deviations(onsets.map(abs))
        printFigure("clock_error_us_p99_paced\(board)", errors.percentile(0.99), "us", decimals: 0)
        printFigure("clock_error_us_max_paced\(board)", errors.max, "us", decimals: 0)
        let first = Deviations(Array(onsets.prefix(Int(2_000_000 / Self.spacing))))
        printFigure("clock_error_us_start_paced\(board)", first.max, "us", decimals: 0)
    }

    private func print(
        _ claims: [(time: HostTime, estimate: ClockEstimate<DeviceTime>)], in trace: CycleTrace
    ) {
        let held = claims.filter { time, estimate in
            guard let truth = trace.deviceClock(at: time) else { return false }
            return abs(Double(estimate.time.microseconds) - truth) <= Double(estimate.errorBound)
        }
        let bounds = Deviations(claims.map { Double($0.estimate.errorBound) })
        printFigure("clock_bound_us_p50_paced\(board)", bounds.percentile(0.5), "us", decimals: 0)
        printFigure("clock_bound_us_p95_paced\(board)", bounds.percentile(0.95), "us", decimals: 0)
        printFigure(
            "clock_bound_held_paced\(board)", 100 * Double(held.count) / Double(claims.count), "%")
    }

    /// Prints the maximum rate at which levels are played for three seconds without a late level.
    private func printRate() throws {
        var best = 0
        for period in [1_000, 800, 600, 500, 440, 400, 360, 320, 280, 240, 200] {
            let (program, link) = try connect()
            defer { link.close() }
            let count = 3_000_000 / period
            let events = [StreamEvent].differingLevels(count, ticksApart: 4, seed: 5)
            let end = StreamEvent(.end, at: events[count - 1].tick + 400)
            let result = try? link.play(
                Playback(
                    events: EventStreamEncoder.encode(events + [end]),
                    tickMicroseconds: period / 4, actuators: ActuatorMask(index: 0),
                    start: .after(300_000)))
            withExtendedLifetime(program) {}
            guard let progress = result?.progress, progress.isClean else { break }
            best = 1_000_000 / period
            note("  \(best) events/s: worst \(progress.latestAtMost) us late")
        }
        printFigure("events_per_second_max_paced\(board)", best, "events/s")
    }

    private func playback(of events: [StreamEvent]) -> Playback {
        Playback(
            events: EventStreamEncoder.encode(events), actuators: ActuatorMask(index: 0))
    }
}
