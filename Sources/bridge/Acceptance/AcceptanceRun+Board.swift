// The steps of an acceptance test that need no motion: identity, clock and link.

import AcceptanceReports
import BridgeLink
import DRV2605
import HapticBridge
import SerialPorts
import ToolSupport

extension AcceptanceRun {
    // MARK: Identity

    /// Checks the firmware, and the chip and the configuration of each actuator.
    func identify(_ checks: inout [AcceptanceCheck]) throws {
        let welcome = board.welcome
        let isOld = welcome.firmware < KnownBoard.firmwareVersion
        checks.append(
            isOld
                ? .failed(
                    "firmware", .protocolMismatch,
                    "\(welcome.firmwareVersion) is older than this program's",
                    advice: [welcome.kind.flashCommand(port: "PORT")])
                : .passed("firmware", "\(welcome.kind), \(welcome.firmwareVersion)"))
        let actuators = try board.waitUntilSettled()
        let status = try board.status()
        for actuator in actuators {
            checks.append(chip(of: actuator, status.faults))
            guard actuator.state == .unconfigured else { continue }
            let error = ToolError(unconfigured: actuator.actuator, at: board.path)
            checks.append(check("\(Self.name(actuator.actuator)), configuration", error))
        }
        checks.append(bus(status))
    }

    private func chip(of actuator: ActuatorStatus, _ faults: Faults) -> AcceptanceCheck {
        let name = "\(Self.name(actuator.actuator)), chip"
        let chip = HapticChip.name(ofDeviceID: actuator.chipID)
        let isSupported = HapticChip(deviceID: actuator.chipID) != nil
        if isSupported, [.starting, .comingToRest].contains(actuator.state) {
            return .failed(
                name, .inputOutput, "the actuator remains \(actuator.state)",
                advice: ["reset the board, and repeat the step"])
        }
        if isSupported, actuator.state != .fault {
            return .passed(name, "\(chip), all registers read back")
        }
        if actuator.chipID != 0, !isSupported {
            return .failed(
                name, .noDriver,
                "a chip with the id \(actuator.chipID) answers, which is neither a DRV2605 (3) nor "
                    + "a DRV2605L (7)",
                advice: ["replace the driver: a clone or a DRV2604 is not supported"])
        }
        let error = ToolError(undrivable: actuator.actuator, of: board, faults)
        guard let cause = faults.wiringCause else { return check(name, error) }
        return .failed(name, .noDriver, cause, advice: error.advice)
    }

    private func bus(_ status: Status) -> AcceptanceCheck {
        guard status.state.contains(.slowBus) else { return .passed("bus", "400 kHz") }
        return .failed(
            "bus", .noDriver,
            "no chip could be set up at 400 kHz: the edges on the bus are too slow",
            advice: [
                "add pull-up resistors of 2.2 to 4.7 kOhm at SDA and SCL, which most breakout "
                    + "boards have",
                "shorten the wires, and reset the board",
            ])
    }

    // MARK: Clock

    private static let clockTime: Microseconds = .milliseconds(60_000)

    /// Compares the clocks for a minute.
    func compareClocks(_ checks: inout [AcceptanceCheck]) throws {
        let end = Link.now() + Self.clockTime
        var pause = Microseconds(0)
        while Link.now() < end, !Interruption.isRequested {
            let begun = Link.now()
            try board.link.run(until: min(end, begun + Self.slice))
            pause = max(pause, Link.now() - begun - Self.slice)
        }
        guard !Interruption.isRequested else { return }
        checks.append(Self.pauses(pause))
        guard checks.last?.verdict == .passed else {
            return checks.append(.skipped("clock", "this computer was paused in the meantime"))
        }
        let clock = board.link.session.clock
        guard let drift = clock.drift, let bound = clock.deviceTime(at: Link.now())?.errorBound
        else {
            return checks.append(
                .failed(
                    "clock", .inputOutput,
                    "the rate of the board's clock is not within 0.6 % of this computer's, or not steady",
                    advice: ["replace the board: its oscillator is defective"]))
        }
        checks.append(
            AcceptanceCheck(
                "clock, error bound", Double(bound), "µs", most: Self.boundMax,
                cause: "the link delays bytes by an irregular time, or the clock is not steady",
                advice:
                    "connect the board without a hub, and end programs that transfer much data by USB"
            ))
        guard Double(bound) <= Self.boundMax else { return }
        checks.append(
            AcceptanceCheck(
                "clock, drift", drift, "ppm", least: -Self.driftMax, most: Self.driftMax,
                cause: "the oscillator of the board is off by more than a quarter of a percent",
                advice: "patterns are played at the right times, because the clocks are compared; "
                    + "replace the board if it must keep time on its own"))
    }

    /// The maximum drift in parts per million. Ceramic resonators have a tolerance of 0.5 % at most,
    /// and quartz crystals one of 0.01 %.
    private static let driftMax = 2_500.0
    /// The maximum error bound of the clock, in microseconds.
    private static let boundMax = 1_000.0
    /// The interval at which an interruption is detected.
    static let slice: Microseconds = .milliseconds(20)

    /// Evaluates the longest time for which this program did not run.
    static func pauses(_ pause: Microseconds) -> AcceptanceCheck {
        AcceptanceCheck(
            "longest pause of this program", Double(max(0, pause)) / 1_000, "ms", most: 150, .busy,
            cause: "this computer did not run the program for that time: it is busy or asleep",
            advice: "end other programs, and prevent the computer from sleeping; the board stops "
                + "an actuator after 250 ms without a message")
    }

    // MARK: Link

    private static let roundTrips = 1_000

    /// Measures the time from a query to its answer.
    func measureRoundTrips(_ checks: inout [AcceptanceCheck]) throws {
        let begin = try board.status()
        let before = board.link.session.statistics
        var times: [Microseconds] = []
        while times.count < Self.roundTrips, !Interruption.isRequested {
            let begun = Link.now()
            _ = try board.status()
            times.append(Link.now() - begun)
        }
        guard !Interruption.isRequested else { return }
        times.sort()
        func percentile(_ part: Double) -> Double {
            Double(times[Int(Double(times.count - 1) * part)]) / 1_000
        }
        checks.append(AcceptanceCheck("round trip, median", percentile(0.5), "ms", most: 20))
        checks.append(
            AcceptanceCheck(
                "round trip, 99 of 100", percentile(0.99), "ms", most: 60,
                cause: "the link delays some bytes",
                advice: "connect the board without a hub; for an FTDI adapter, set its latency "
                    + "timer to 1 ms"))
        let after = board.link.session.statistics
        let status = try board.status()
        let damaged =
            after.damagedFrames - before.damagedFrames
            + Int(status.damagedFrames &- begin.damagedFrames)
        checks.append(
            AcceptanceCheck(
                "damaged frames", Double(damaged), most: 5,
                cause: "bytes are damaged on the line",
                advice: "use a shorter cable, and keep it away from the wires of the motor"))
        checks.append(
            AcceptanceCheck(
                "lost bytes", Double(status.lostBytes &- begin.lostBytes), most: 0,
                cause: "bytes arrived faster than the board read them",
                advice: "end other programs that send to the port"))
    }
}
