// Look: how a board is at one moment, as text and as JSON (schema bridge.monitor/1).

import AHAP
import BridgeLink
import HapticBridge

/// What `bridge monitor` and `bridge play --monitor` show.
struct Look {
    /// Microseconds since the first look.
    let time: Int64
    let status: Status
    let stream: StreamStatus
    let actuators: [ActuatorStatus]
    /// Microseconds that the device's clock is known to, either way.
    let bound: Int64?
    /// How fast the device's clock is, in parts per million.
    let drift: Double
    /// nil if this program plays nothing.
    var playing: Playing?

    /// What is known of a stream by whoever plays it.
    struct Playing {
        /// What the stream asks for now, 0...255.
        let level: Int
        /// Event bytes that were sent and are not executed yet.
        let queue: Int
        /// How exactly it keeps to this computer's clock, once that is known.
        let timing: StreamTiming?
    }

    /// How often a board is looked at if nothing else is said, in seconds.
    static let interval = 0.5

    init(
        at time: Int64, _ status: Status, _ stream: StreamStatus, _ actuators: [ActuatorStatus],
        _ clock: ClockSync
    ) {
        self.time = time
        self.status = status
        self.stream = stream
        self.actuators = actuators
        bound = clock.deviceTime(at: Link.now())?.errorBound
        drift = (clock.rate - 1) * 1e6
    }

    private var state: String {
        status.state.contains(.driving)
            ? "driving" : status.state.contains(.awake) ? "awake" : "at rest"
    }

    var line: String {
        let drift = drift.text(decimals: 0)
        let clock = bound.map { "clock ±\($0) µs, \(drift) ppm" } ?? "clock unknown"
        let faults = status.faults.isEmpty ? "no faults" : "faults: \(status.faults)"
        let parts = actuators.map { actuator in
            let resonance =
                actuator.kind == .lra
                ? ", \((Double(actuator.resonance) / 10).text(decimals: 1)) Hz" : ""
            return "actuator \(actuator.actuator) \(actuator.state)\(resonance)"
        }
        let board =
            [state] + (playing?.words(of: stream) ?? [])
            + ["stream \(stream.state)", "latest \(status.latest) µs", clock, faults]
        return (board + parts).joined(separator: " | ")
    }

    func json(of board: HapticBoard) -> JSONValue {
        [
            "schema": "bridge.monitor/1",
            "board": .string(board.path),
            "time_ms": .number(time / 1_000),
            "level": .number(playing?.level),
            "queue_bytes": .number(playing?.queue),
            "clock_lateness_us": playing?.timing?.json ?? nil,
            "status": StatusFacts.json(status),
            "stream": [
                "state": .name(stream.state), "position_ticks": .number(stream.position),
                "capacity": .number(stream.capacity), "events": .number(stream.events),
            ],
            "clock_bound_us": .number(bound),
            "clock_drift_ppm": .number(Int(drift.rounded())),
            "actuators": .array(
                actuators.map {
                    [
                        "actuator": .number($0.actuator), "state": .name($0.state),
                        "resonance_hz": .tenths($0.resonance),
                        "supply_volts": .thousandths($0.supply),
                        "calibration": .name($0.calibration),
                    ]
                }),
        ]
    }
}

extension Look.Playing {
    fileprivate func words(of stream: StreamStatus) -> [String] {
        ["level \(level)", "queue \(queue) of \(stream.capacity) bytes"]
            + (timing.map { [$0.text] } ?? [])
    }
}
