// ClockFigures: figures of the deviation of events from the host's clock. Real sessions and the
// firmware core run in virtual time over modeled lines.

import BridgeLink
import HapticCompiler
import TestSupport
import VirtualBoard

enum ClockFigures {
    private static let seeds: ClosedRange<UInt64> = 1...8
    private static let startSeeds: ClosedRange<UInt64> = 1...40
    private static let minute = 60.0
    /// The beginning of each minute that is not evaluated, in seconds.
    private static let settling = 10.0

    static func print() throws {
        for (line, name) in [
            (LineDelays.Kind.pty, "pty"), (.desktop, "desktop"), (.usb, "usb"), (.ownUSB, "rp2040"),
        ] {
            note("clocks: a minute over the \(line) line")
            try minutes(drifts: [-80, 30], behind(line)).print(name)
        }
        note("clocks: a minute over the usb line, with a clock that runs 0.5 % fast")
        try minutes(drifts: [5_000], behind(.usb)).print("drift")
        note("clocks: the first two seconds")
        try printStart()
        note("clocks: four boards")
        try printSkew()
        for simulator in SimulatedBoard.here where simulator.line == .usb {
            note("clocks: a minute over the USB of the simulated \(simulator.name)")
            let errors = try minutes(drifts: [-80, 30]) { drift, seed in
                try ImageLink(simulator, drift: drift, seed: seed)
            }
            errors.print("image_rp2040")
        }
    }

    private typealias MakeLink<Link> = (_ drift: Double, _ seed: UInt64) throws -> Link

    private static func behind(_ line: LineDelays.Kind) -> MakeLink<JitterLink> {
        { JitterLink(line, drift: $0, seed: $1) }
    }

    private static func minutes<Link: TimedLink>(
        drifts: [Double], _ makeLink: MakeLink<Link>
    ) throws -> ClockErrors {
        var errors = ClockErrors()
        for seed in seeds {
            let link = try makeLink(drifts[Int(seed) % drifts.count], seed)
            let run = try ClockRun(link, seed: seed, seconds: minute, after: 200_000)
            errors.add(run, from: settling)
        }
        return errors
    }

    /// Prints the maximum error of patterns that begin 100 ms after the session begins.
    private static func printStart() throws {
        var errors: [Double] = []
        for seed in startSeeds {
            let drift = Double(seed % 3) * 100 - 100
            let link = JitterLink(.usb, drift: drift, seed: seed)
            let run = try ClockRun(link, seed: seed, seconds: 2, after: 100_000)
            errors += run.onsets.map(\.error)
        }
        printFigure("clock_error_us_start_max", Deviations(errors).max, "us", decimals: 0)
    }

    /// Prints the time differences of each event between four boards on one host that play the same
    /// pattern at the same time.
    private static func printSkew() throws {
        var skews: [Double] = []
        for seed in seeds {
            let runs = try [-5_000.0, -1_700, 1_700, 5_000].enumerated().map { board, drift in
                let seed = seed * 100 + UInt64(board)
                let link = JitterLink(.usb, drift: drift, seed: seed)
                return try ClockRun(link, seed: seed, seconds: minute, after: 200_000)
            }
            for event in runs[0].onsets.indices {
                let errors = runs.map { $0.onsets[event].error }
                skews.append(errors.max()! - errors.min()!)
            }
        }
        let deviations = Deviations(skews)
        printFigure("skew_us_p99_4boards", deviations.percentile(0.99), "us", decimals: 0)
        printFigure("skew_us_max_4boards", deviations.max, "us", decimals: 0)
    }
}

/// The timing errors of many runs.
private struct ClockErrors {
    private var onsets: [Double] = []
    private var bounds: [Double] = []
    private var held = 0

    mutating func add(_ run: ClockRun, from seconds: Double) {
        onsets += run.onsets.filter { $0.seconds >= seconds }.map { abs($0.error) }
        for sample in run.samples where sample.seconds >= seconds {
            bounds.append(sample.bound)
            held += abs(sample.error) <= sample.bound ? 1 : 0
        }
    }

    func print(_ name: String) {
        let errors = Deviations(onsets)
        printFigure("clock_error_us_p99_\(name)", errors.percentile(0.99), "us", decimals: 0)
        printFigure("clock_error_us_max_\(name)", errors.max, "us", decimals: 0)
        printFigure(
            "clock_bound_us_p50_\(name)", Deviations(bounds).percentile(0.5), "us", decimals: 0)
        printFigure(
            "clock_bound_held_\(name)", 100 * Double(held) / Double(bounds.count), "%")
    }
}

/// A run in which one pattern plays at a given time on the host's clock.
private struct ClockRun {
    struct Failure: Error, CustomStringConvertible { var description: String }

    struct Onset {
        /// The time at which the event was due, in seconds since power-up.
        var seconds: Double
        /// The lateness of the event, in microseconds.
        var error: Double
    }

    struct Sample {
        var seconds: Double
        var error: Double
        var bound: Double
    }

    let onsets: [Onset]
    /// The session's successive estimates of the board's clock.
    let samples: [Sample]

    private static let tick = 250.0
    /// The interval between two events, in ticks: 20 ms.
    private static let spacing = 80

    init<Link: TimedLink>(
        _ link: Link, seed: UInt64, seconds: Double, after: Microseconds
    ) throws {
        let count = Int(seconds * 1_000_000 / Self.tick) / Self.spacing
        let events = [StreamEvent].differingLevels(count, ticksApart: Self.spacing, seed: seed)
        let end = StreamEvent(.end, at: events[count - 1].tick + 400)
        guard link.connect() else { throw Failure(description: "no session") }
        var samples: [Sample] = []
        link.onClockSample = { [unowned link] estimate in
            samples.append(
                Sample(
                    seconds: Double(link.now.microseconds) / 1_000_000,
                    error: link.error(of: estimate, at: link.now),
                    bound: Double(estimate.errorBound)))
        }
        let start = link.now + after
        link.begin(EventStreamEncoder.encode(events + [end]), start: .at(start))
        let limit = start + Microseconds(seconds * 1_000_000) + 2_000_000
        guard link.run(until: limit, { $0.playback?.outcome != nil }),
            let playback = link.playback, try playback.outcome?.get() == .played,
            playback.progress.isClean
        else {
            throw Failure(description: "not played: \(String(describing: link.playback?.progress))")
        }
        self.samples = samples
        let writes = link.levels(since: start)
        guard writes.count >= count else { throw Failure(description: "levels are missing") }
        onsets = zip(events, writes).map { event, write in
            let time = Double(event.tick) * Self.tick
            return Onset(
                seconds: (Double(start.microseconds) + time) / 1_000_000, error: write.time - time)
        }
    }
}
