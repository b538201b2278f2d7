// The simulated ATmega328P at the pace of the wall clock, behind its pseudo-terminal: what a
// program on this machine meets. These figures depend on the machine and on what else it does.

import BridgeLink
import Foundation
import HapticCompiler
import TestSupport

enum PacedFigures {
    private static let stops = 40

    static func print() throws {
        guard SimulatedBoard.isHere() else { return }
        note("the simulated ATmega328P at the pace of the wall clock: STOP")
        try printStops()
        note("the same: its clock, for 12 s")
        try printClock()
        note("the same: events a second")
        try printRate()
    }

    /// A board program, and a configured board behind its port.
    private static func connect() throws -> (BoardProgram, Link) {
        let program = try BoardProgram(LockStepBoard.simulator, [LockStepBoard.image.path])
        let link = Link(try openPort(program.port))
        _ = try link.connect()
        try link.carryOut(.configure(.coinLRA, actuator: 0))
        try link.run(until: Link.now() + 50_000)
        return (program, link)
    }

    /// From the call to the answer, which the board gives once it has begun to come to rest.
    private static func printStops() throws {
        let (program, link) = try connect()
        defer { link.close() }
        let held = [StreamEvent(.level(200), at: 0), StreamEvent(.end, at: 40_000)]
        let times = try (0..<stops).map { index in
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
        printFigure("stop_ms_p50_paced", deviations.percentile(0.5), "ms")
        printFigure("stop_ms_p99_paced", deviations.percentile(0.99), "ms")
    }

    /// What the session claims to know of the board's clock.
    private static func printClock() throws {
        let (program, link) = try connect()
        defer { link.close() }
        var bounds: [Double] = []
        let held = [StreamEvent(.level(90), at: 0), StreamEvent(.end, at: 48_000)]
        try link.play(playback(of: held)) { playback in
            let now = Link.now()
            if let estimate = link.session.clock.deviceTime(at: now) {
                bounds.append(Double(estimate.errorBound))
            }
            return true
        }
        withExtendedLifetime(program) {}
        printFigure(
            "clock_bound_us_p50_paced", Deviations(bounds).percentile(0.5), "us", decimals: 0)
    }

    /// The highest rate at which three seconds of levels are played without a late one.
    private static func printRate() throws {
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
        printFigure("events_per_second_max_paced", best, "events/s")
    }

    private static func playback(of events: [StreamEvent]) -> Playback {
        Playback(
            events: EventStreamEncoder.encode(events), actuators: ActuatorMask(index: 0))
    }
}
