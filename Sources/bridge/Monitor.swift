// bridge monitor: how a board is, again and again.

import AHAP
import ArgumentParser
import BridgeLink
import HapticBridge

struct Monitor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how a board is, until Ctrl-C.",
        discussion: """
            Shows what drives, how full its event memory is, how late its worst write was, how \
            exactly its clock is known, its faults, and each actuator. In a terminal one line is \
            redrawn; with --json each look is a line of its own. The port is kept meanwhile: what \
            is played shows this by itself (`bridge play --json`).

            Examples:
              bridge monitor
              bridge monitor --json --interval 1 --count 60 > board.jsonl
            """)

    @Option(help: ArgumentHelp("Time between two looks, 0.05 to 60.", valueName: "seconds"))
    var interval = 0.5

    @Option(help: ArgumentHelp("Ends after so many looks.", valueName: "number"))
    var count: Int?

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard (0.05...60).contains(interval), (count ?? 1) > 0 else {
            throw ValidationError("--interval is 0.05 to 60 seconds, --count at least 1.")
        }
    }

    func run() throws {
        try board.withBoard { board in
            try Interruption.deferred { try watch(board) }
            if let status = Interruption.status { throw ToolError(status, "") }
        }
    }

    private func watch(_ board: HapticBoard) throws {
        let terminal = Terminal.standardOutput
        let isRedrawn = terminal.canRedraw && !output.json
        defer { if isRedrawn { terminal.write("\n") } }
        let started = Link.now()
        var looks = 0
        while !Interruption.isRequested, looks < count ?? .max {
            looks += 1
            let look = try Look(board, at: Link.now() - started)
            if isRedrawn {
                terminal.write("\r\(look.line.prefix(terminal.width - 1))\u{1B}[K")
            } else {
                try output.result(look.json(of: board), text: look.line)
            }
            let next = started + Int64(Double(looks) * interval * 1e6)
            while Link.now() < next, !Interruption.isRequested, looks < count ?? .max {
                // The link is kept alive, and the clocks compared.
                try board.link.run(until: min(next, Link.now() + 20_000)) { event in
                    if case .ended(let end) = event { throw end }
                    return false
                }
            }
        }
    }
}

/// What a board is at one moment.
private struct Look {
    let time: Int64
    let status: Status
    let stream: StreamStatus
    let actuators: [ActuatorStatus]
    /// Microseconds that the device's clock is known to, either way.
    let bound: Int64?
    /// How fast the device's clock is, in parts per million.
    let drift: Double

    init(_ board: HapticBoard, at time: Int64) throws {
        self.time = time
        status = try board.status()
        stream = try board.link.stream(0)
        actuators = try board.actuators()
        let clock = board.link.session.clock
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
        let board = [state, "stream \(stream.state)", "latest \(status.latest) µs", clock, faults]
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
                        "supply_volts": .thousandths($0.supply),
                        "calibration": .name($0.calibration),
                    ]
                }),
        ]
    }
}
