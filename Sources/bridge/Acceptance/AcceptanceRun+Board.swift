// The steps `clock` and `link` of an acceptance test, which measure the connection to a board.

import AcceptanceReports
import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

extension AcceptanceRun {
    // MARK: Clock

    private static let clockTime: Microseconds = .milliseconds(60_000)

    /// Compares the clocks of the board and of this computer for one minute.
    func compareClocks(_ checks: inout [AcceptanceCheck]) throws {
        let end = Link.now() + Self.clockTime
        var delays: [Microseconds] = []
        while Link.now() < end, isWanted() {
            let due = min(end, Link.now() + Self.slice)
            try board.link.run(until: due)
            delays.append(Link.now() - due)
        }
        guard isWanted() else { return }
        checks.append(Self.pauses(delays.max() ?? 0))
        guard checks.last?.verdict == .passed else {
            return checks.append(.skipped("clock", "this computer was paused in the meantime"))
        }
        let results = clockResults()
        if results.contains(where: { $0.verdict == .failed }), let busy = Self.busy(delays) {
            checks += [busy, .skipped("clock", Self.wasBusy)]
            return
        }
        checks += results
    }

    /// Returns the checks that compare the clocks.
    private func clockResults() -> [AcceptanceCheck] {
        let clock = board.link.session.clock
        guard let drift = clock.drift, let bound = clock.deviceTime(at: Link.now())?.errorBound
        else {
            return [
                .failed(
                    "clock", .inputOutput,
                    "the rate of the board's clock is not within 0.6 % of this computer's, or not steady",
                    advice: ["replace the board: its oscillator is defective"])
            ]
        }
        let errorBound = AcceptanceCheck(
            "clock, error bound", Double(bound), "µs", most: Self.boundMax,
            cause: "the link delays bytes by an irregular time, or the clock is not steady",
            advice:
                "connect the board without a hub, and end programs that transfer much data over "
                + "USB")
        guard errorBound.verdict == .passed else { return [errorBound] }
        return [
            errorBound,
            AcceptanceCheck(
                "clock, drift", drift, "ppm", least: -Self.driftMax, most: Self.driftMax,
                cause: "the oscillator of the board deviates by more than a quarter of a percent",
                advice: "patterns are played at the right times, because the clocks are compared; "
                    + "replace the board if it must keep time on its own"),
        ]
    }

    /// The maximum drift in parts per million. The tolerance of ceramic resonators is at most 0.5
    /// %, and that of quartz crystals 0.01 %.
    private static let driftMax = 2_500.0
    /// The maximum error bound of the clock, in microseconds.
    private static let boundMax = 1_000.0
    /// The interval between two checks for an interruption, in microseconds.
    static let slice: Microseconds = .milliseconds(20)

    /// Creates the check for the longest pause of this program. During a pause, the system does not
    /// run the program.
    static func pauses(_ pause: Microseconds) -> AcceptanceCheck {
        AcceptanceCheck(
            "longest pause of this program", Double(max(0, pause)) / 1_000, "ms", most: 150, .busy,
            cause: "this computer did not run the program during that time: it is busy or asleep",
            advice: "end other programs, and prevent the computer from sleeping; the board stops "
                + "an actuator after 250 ms without a message")
    }

    /// The maximum of the 90th percentile of the wake-up delays, in milliseconds. On a computer
    /// that is not busy, a delay is below 1 ms.
    private static let wakeUpDelayMax = 5.0
    /// The reason why a check is skipped on a busy computer.
    private static let wasBusy = "this computer was busy in the meantime"

    /// Returns a failed check if the system usually runs this program so late that a measurement is
    /// meaningless.
    ///
    /// - Parameter delays: the times from a deadline until the system ran the program, in
    ///   microseconds.
    private static func busy(_ delays: [Microseconds]) -> AcceptanceCheck? {
        let check = AcceptanceCheck(
            "delay of this program, 90 of 100", milliseconds(delays, percentile: 0.9), "ms",
            most: wakeUpDelayMax, .busy,
            cause: "this computer is busy, and runs this program late",
            advice: "end other programs")
        return check.verdict == .failed ? check : nil
    }

    // MARK: Link

    private static let roundTrips = 1_000
    /// The maximum of the 99th percentile of the round trips, in milliseconds.
    private static let roundTripMax = 60.0
    /// The number of round trips between two measurements of the wake-up delay.
    private static let roundTripsPerDelay = 10

    /// Measures the time from a query to its answer. Between the queries, the function measures how
    /// late the system runs this program, so that a busy computer is not reported as a slow link.
    func measureRoundTrips(_ checks: inout [AcceptanceCheck]) throws {
        let begin = try board.status()
        let before = board.link.session.statistics
        var times: [Microseconds] = []
        var delays: [Microseconds] = []
        while times.count < Self.roundTrips, isWanted() {
            let begun = Link.now()
            _ = try board.status()
            times.append(Link.now() - begun)
            guard times.count % Self.roundTripsPerDelay == 0 else { continue }
            let due = Link.now() + .milliseconds(2)
            try board.link.run(until: due)
            delays.append(Link.now() - due)
        }
        guard isWanted() else { return }
        let slowest = Self.milliseconds(times, percentile: 0.99)
        if slowest > Self.roundTripMax, let busy = Self.busy(delays) {
            checks += [busy, .skipped("round trip", Self.wasBusy)]
        } else {
            checks.append(
                AcceptanceCheck(
                    "round trip, median", Self.milliseconds(times, percentile: 0.5), "ms", most: 20)
            )
            checks.append(
                AcceptanceCheck(
                    "round trip, 99 of 100", slowest, "ms", most: Self.roundTripMax,
                    cause: "the link delays some bytes",
                    advice: "connect the board without a hub; for an FTDI adapter, set its latency "
                        + "timer to 1 ms"))
        }
        let after = board.link.session.statistics
        let status = try board.status()
        let damaged =
            after.damagedFrames - before.damagedFrames
            + Int(status.damagedFrames &- begin.damagedFrames)
        checks.append(
            AcceptanceCheck(
                "damaged frames", Double(damaged), most: 5,
                cause: "bytes are damaged between the computer and the board",
                advice: "use a shorter cable, and keep it away from the wires of the motor"))
        checks.append(
            AcceptanceCheck(
                "lost bytes", Double(status.lostBytes &- begin.lostBytes), most: 0,
                cause: "bytes arrived faster than the board read them",
                advice: "end other programs that send to the port"))
    }

    /// Returns a percentile of times in milliseconds.
    ///
    /// - Parameter percentile: the percentile as a fraction, from 0 to 1.
    private static func milliseconds(_ times: [Microseconds], percentile: Double) -> Double {
        Double(times.sorted()[Int(Double(times.count - 1) * percentile)]) / 1_000
    }
}
