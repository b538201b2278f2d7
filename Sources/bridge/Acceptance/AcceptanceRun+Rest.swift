// The step `rest` of an acceptance test, which checks that all motion ends.

import AcceptanceReports
import BridgeLink
import HapticBridge
import HapticPatterns
import SerialPorts
import ToolSupport

extension AcceptanceRun {
    /// Stops a vibration. Then starts another vibration and sends nothing, as if the program had
    /// been killed.
    func comeToRest(_ checks: inout [AcceptanceCheck]) throws {
        let actuators = try drivable(for: .rest, &checks)
        guard !actuators.isEmpty else { return }
        try stop(actuators, &checks)
        guard isWanted() else { return }
        try fallSilent(actuators, &checks)
    }

    /// Measures the time from a stop until the board reports that its actuators are at rest, which
    /// includes the braking of the actuators.
    private func stop(
        _ actuators: [ActuatorStatus], _ checks: inout [AcceptanceCheck]
    ) throws {
        let most = Self.restTime(of: actuators)
        var reported: [AcceptanceCheck] = []
        try measuringEnd(
            "time from a stop to measured rest", of: actuators, most: most, &checks
        ) {
            let pause = try begin(actuators)
            guard isWanted() else { return nil }
            let begun = Link.now()
            try board.stop()
            guard !hasPaused(for: pause, "time from a stop to rest", &reported) else { return nil }
            reported.append(
                AcceptanceCheck(
                    "time from a stop to rest", Double(Link.now() - begun) / 1_000, "ms",
                    most: most))
            return begun
        }
        checks += reported
    }

    /// Returns the time that actuators may take to come to rest, in milliseconds.
    private static func restTime(of actuators: [ActuatorStatus]) -> Double {
        100 + 1.1 * (actuators.map { Double($0.brake) }.max() ?? 0)
    }

    /// DEAD_MAN_US in milliseconds (SPEC 9).
    private static let deadManTime = 250.0

    /// Sends nothing for 0.4 s during a vibration.
    private func fallSilent(
        _ actuators: [ActuatorStatus], _ checks: inout [AcceptanceCheck]
    ) throws {
        var reported: [AcceptanceCheck] = []
        try measuringEnd(
            "time from silence to measured rest", of: actuators,
            most: Self.deadManTime + Self.restTime(of: actuators), &checks
        ) {
            try fallSilent(actuators, reporting: &reported)
        }
        checks += reported
    }

    /// Returns the time at which the silence began; nil if the user has interrupted the test.
    private func fallSilent(
        _ actuators: [ActuatorStatus], reporting checks: inout [AcceptanceCheck]
    ) throws -> HostTime? {
        let before = try board.status()
        let pause = try begin(actuators)
        let begun = Link.now()
        let end = begun + .milliseconds(400)
        while Link.now() < end, isWanted() { hostClock.sleep(for: Self.slice) }
        guard isWanted() else { return nil }
        // If the program was paused, the board came to rest before the silence.
        guard !hasPaused(for: pause, "silence of the program", &checks) else {
            try board.stop()
            return nil
        }
        let after = try board.status()
        let states = try actuators.map { try board.waitUntilSettled($0.actuator) }
        let isAtRest = states.allSatisfy { $0.state == .atRest }
        let trips = after.deadManTrips &- before.deadManTrips
        let faults = after.faults.intersection(.ofDriver)
        guard faults.isEmpty else {
            let error = ToolError("a fault ended the vibration", faults, of: board)
            checks.append(check("silence of the program", error))
            return begun
        }
        checks.append(
            trips == 1 && isAtRest
                ? .passed(
                    "silence of the program", "the dead-man timeout brought the board to rest")
                : .failed(
                    "silence of the program", .inputOutput,
                    "the board has not come to rest: \(Int(trips).text("dead-man trip")), "
                        + states.map { "\(Self.name($0.actuator)) \($0.state)" }
                        .joined(separator: ", "),
                    advice: ["do not use this board unattended, and report the file"]))
        try board.stop()
        return begun
    }

    /// Starts to play half intensity, and returns after 0.3 s, when the board has received all
    /// events. Returns the longest pause of this program, in microseconds. Throws no error after a
    /// pause, because the pause may have caused the error.
    private func begin(_ actuators: [ActuatorStatus]) throws -> Microseconds {
        let compiled = try compiled(Self.hold(0.5, for: .milliseconds(3_000)), for: actuators)
        let mask = Self.mask(actuators)
        var playback = Playback(
            events: compiled.bytes, tickMicroseconds: Int(compiled.tick), actuators: mask,
            start: .after(board.shortestLead(on: mask)))
        board.link.withSession { playback.begin(&$0, at: $1) }
        let end = Link.now() + .milliseconds(300)
        let (result, pause) = measuringPauses { shallGoOn in
            Result {
                while Link.now() < end, shallGoOn() {
                    try board.link.carryOn(&playback, until: min(end, Link.now() + Self.slice))
                }
            }
        }
        if Self.pauses(pause).verdict == .passed { try result.get() }
        return pause
    }
}
