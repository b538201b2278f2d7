// BoardFacts: converts the properties and the state that a board reports to text and to JSON.

import BridgeLink
import JSONText
import ToolSupport

/// The message WELCOME, as text and as JSON.
enum BoardFacts {
    /// The board's id, for example "0123456789abcdef", or "no id".
    static func id(_ welcome: Welcome) -> String {
        guard welcome.boardID != 0 else { return "no id" }
        let digits = String(welcome.boardID, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    static func features(_ features: Features) -> [String] {
        let names: [(Features, String)] = [
            (.revise, "revise"), (.calibration, "calibration"), (.storage, "storage"),
            (.bootloader, "bootloader"), (.band, "band"),
        ]
        return names.filter { features.contains($0.0) }.map(\.1)
    }

    static func table(_ welcome: Welcome, path: String) -> Table {
        var table = Table()
        let features = features(welcome.features)
        table.append("board", "\(id(welcome)) at \(path)")
        if welcome.kind != .unknown { table.append("kind", "\(welcome.kind)") }
        table.append(
            "firmware", "\(welcome.firmwareVersion), protocol \(welcome.version)")
        table.append("last start", "number \(welcome.bootCount), after \(cause(welcome))")
        table.append("features", features.isEmpty ? "none" : features.joined(separator: ", "))
        table.append("streams", "\(welcome.streams), \(welcome.eventMemory) bytes of event memory")
        if welcome.kind.isPolled { table.append("timing", timing(welcome.kind)) }
        return table
    }

    /// Returns true if the cause of the last reset cannot be known, because a sketch cannot
    /// determine the cause.
    private static func knowsNoCause(_ welcome: Welcome) -> Bool {
        welcome.resetCause == .unknown && welcome.kind.isPolled
    }

    private static func cause(_ welcome: Welcome) -> String {
        if knowsNoCause(welcome) { return "a reset whose cause a sketch cannot determine" }
        let hidden = welcome.resetCause == .unknown ? " (the boot loader hides the cause)" : ""
        return "\(welcome.resetCause)\(hidden)"
    }

    /// A description of the maximum lateness of a board whose firmware a sketch polls.
    private static func timing(_ kind: BoardKind) -> String {
        let bound = Double(kind.writeLateness(actuators: 1)) / 1_000
        return "writes up to \(bound.text(decimals: 0)) ms late, or later if loop() takes longer; "
            + "no watchdog"
    }

    static func json(_ welcome: Welcome) -> JSONValue {
        [
            "id": .string(id(welcome)),
            "kind": .name(welcome.kind),
            "firmware": .string(welcome.firmwareVersion),
            "protocol": .number(welcome.version),
            "protocol_min": .number(welcome.versionMin),
            "protocol_max": .number(welcome.versionMax),
            "features": .array(features(welcome.features).map { .string($0) }),
            "actuators": .number(welcome.actuators),
            "streams": .number(welcome.streams),
            "event_memory": .number(welcome.eventMemory),
            "link_window": .number(welcome.linkWindow),
            "body_max": .number(welcome.bodyMax),
            "reset_cause": knowsNoCause(welcome) ? "unknown" : .name(welcome.resetCause),
            "boot_count": .number(welcome.bootCount),
            "write_lateness_us": .number(
                welcome.kind.writeLateness(actuators: Int(welcome.actuators))),
        ]
    }
}

/// The message STATUS, as text and as JSON.
enum StatusFacts {
    static func table(_ status: Status) -> Table {
        var table = Table()
        let faults = status.faults.isEmpty ? "none" : status.faults.description
        table.append("state", status.state.contains(.driving) ? "driving" : "not driving")
        table.append("muted", status.state.contains(.muted) ? "yes" : "no")
        table.append("faults", "\(faults) (\(status.faultTotal) so far)")
        table.append(
            "worst onset", "\(status.latest) µs late, \(Int(status.lateEvents).text("late write"))")
        table.append("skipped taps", "\(status.skippedTaps)")
        table.append("underruns", "\(status.underruns)")
        table.append("dead-man", "\(Int(status.deadManTrips).text("trip"))")
        let resets = Int(status.chipResets).text("chip reset")
        table.append("bus", "\(Int(status.busErrors).text("error")), \(resets)")
        table.append("bus clock", status.state.contains(.slowBus) ? slowBus : "400 kHz")
        let lost = Int(status.lostBytes).text("lost byte")
        table.append("link", "\(Int(status.damagedFrames).text("damaged frame")), \(lost)")
        return table
    }

    /// A description of the effects of a slow bus.
    private static let slowBus =
        "100 kHz, because no chip works at 400 kHz; levels up to \(BoardKind.slowBusLateness) µs later"

    static func json(_ status: Status) -> JSONValue {
        [
            "bus_khz": .number(status.state.contains(.slowBus) ? 100 : 400),
            "muted": .bool(status.state.contains(.muted)),
            "awake": .bool(status.state.contains(.awake)),
            "driving": .bool(status.state.contains(.driving)),
            "faults": .number(status.faults.rawValue),
            "fault_names": .string(status.faults.description),
            "fault_total": .number(status.faultTotal),
            "damaged_frames": .number(status.damagedFrames),
            "lost_bytes": .number(status.lostBytes),
            "late": .number(status.lateEvents),
            "latest_us": .number(status.latest),
            "skipped": .number(status.skippedTaps),
            "underruns": .number(status.underruns),
            "dead_man_trips": .number(status.deadManTrips),
            "bus_errors": .number(status.busErrors),
            "chip_resets": .number(status.chipResets),
            "gain": .number(status.gain),
        ]
    }
}
