// Snapshot: the state of a board at one moment, as text and as JSON (schema bridge.monitor/1).

import BridgeLink
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

/// The state of a board at one moment, as `bridge monitor` shows it.
struct Snapshot {
    /// The time since the first sample, in microseconds.
    let time: Int64
    let status: Status
    let stream: StreamStatus
    let actuators: [ActuatorStatus]
    /// The uncertainty of the device's clock in either direction, in microseconds; nil if the clock
    /// is unknown.
    let bound: Int64?
    /// The deviation of the rate of the device's clock, in parts per million.
    let drift: Double
    /// The default interval between two samples, in seconds.
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
            [state]
            + ["stream \(stream.state)", "latest \(status.latest) µs", clock, faults]
        return (board + parts).joined(separator: " | ")
    }

    func json(of board: HapticBoard) -> JSONValue {
        [
            "schema": "bridge.monitor/1",
            "board": .string(board.path),
            "time_ms": .number(time / 1_000),
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
                        "supply_volts": .knownThousandths($0.supply),
                        "measured_resonance_hz": .tenths($0.measuredResonance),
                        "calibration": .name($0.calibration),
                    ]
                }),
        ]
    }
}
