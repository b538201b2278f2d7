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
        guard !Interruption.isRequested else { return }
        try fallSilent(actuators, &checks)
    }

    /// Measures the time from a stop until the board reports that its actuators are at rest, which
    /// includes the braking of the actuators.
    private func stop(
        _ actuators: [ActuatorStatus], _ checks: inout [AcceptanceCheck]
    ) throws {
        let pause = try begin(actuators)
        guard !Interruption.isRequested else { return }
        let begun = Link.now()
        try board.stop()
        guard !hasPaused(for: pause, "time from a stop to rest", &checks) else { return }
        let brake = actuators.map { Double($0.brake) }.max() ?? 0
        checks.append(
            AcceptanceCheck(
                "time from a stop to rest", Double(Link.now() - begun) / 1_000, "ms",
                most: 100 + brake * 1.1))
    }

    /// Sends nothing for 0.4 s during a vibration.
    private func fallSilent(
        _ actuators: [ActuatorStatus], _ checks: inout [AcceptanceCheck]
    ) throws {
        let before = try board.status()
        let pause = try begin(actuators)
        let end = Link.now() + .milliseconds(400)
        while Link.now() < end, !Interruption.isRequested { hostClock.sleep(for: Self.slice) }
        guard !Interruption.isRequested else { return }
        // If the program was paused, the board came to rest before the silence.
        guard !hasPaused(for: pause, "silence of the program", &checks) else {
            return try board.stop()
        }
        let after = try board.status()
        let states = try actuators.map { try board.waitUntilSettled($0.actuator) }
        let isAtRest = states.allSatisfy { $0.state == .atRest }
        let trips = after.deadManTrips &- before.deadManTrips
        let faults = after.faults.intersection(.ofDriver)
        guard faults.isEmpty else {
            let error = ToolError("a fault ended the vibration", faults, of: board)
            return checks.append(check("silence of the program", error))
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
    }

    /// Starts to play half of the full intensity, and returns after 0.3 s, when the board has
    /// received all events. Returns the longest pause of this program, in microseconds. After a
    /// pause, no error is thrown, because the pause may have caused it.
    private func begin(_ actuators: [ActuatorStatus]) throws -> Microseconds {
        let compiled = try compiled(Self.hold(0.5, for: .milliseconds(3_000)), for: actuators)
        let mask = Self.mask(actuators)
        var playback = Playback(
            events: compiled.bytes, tickMicroseconds: Int(compiled.tick), actuators: mask,
            start: .after(board.shortestLead(on: mask)))
        board.link.withSession { playback.begin(&$0, at: $1) }
        let end = Link.now() + .milliseconds(300)
        let (result, pause) = Self.measuringPauses { shallGoOn in
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
