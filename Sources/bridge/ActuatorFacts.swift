// ActuatorFacts: what an actuator is and how it is, as text and as JSON.

import AHAP
import BridgeLink

/// ACTUATOR in words.
struct ActuatorFacts {
    let status: ActuatorStatus

    var isUnconfigured: Bool { status.state == .unconfigured }

    private var chip: String {
        switch HapticChip(deviceID: status.chipID) {
        case .drv2605?: "DRV2605"
        case .drv2605L?: "DRV2605L"
        case nil: status.chipID == 0 ? "none" : "unknown (id \(status.chipID))"
        }
    }

    private static func hertz(_ tenths: UInt16) -> String {
        (Double(tenths) / 10).text(decimals: 1) + " Hz"
    }

    private static func volts(_ millivolts: UInt16) -> String {
        (Double(millivolts) / 1000).text(decimals: 2) + " V"
    }

    private static func milliseconds(_ microseconds: UInt16) -> String {
        (Double(microseconds) / 1000).text(decimals: 2) + " ms"
    }

    var table: Table {
        var table = Table()
        table.append("actuator \(status.actuator)", "\(status.state), chip \(chip)")
        guard !isUnconfigured, status.kind != .none else { return table }
        let resonance = status.kind == .lra ? " of \(Self.hertz(status.resonance))" : ""
        table.append("  kind", "\(status.kind)\(resonance), \(status.locality)")
        let rated = Self.volts(status.rated)
        table.append("  voltages", "rated \(rated), overdrive \(Self.volts(status.overdrive))")
        let sharp = Self.milliseconds(status.tapSharp)
        table.append("  taps", "\(sharp) (sharp) to \(Self.milliseconds(status.tapDull)) (dull)")
        let onset = Self.milliseconds(status.onset)
        table.append(
            "  response", "onset \(onset), rise \(status.rise) ms, brake \(status.brake) ms")
        table.append("  levels", "\(status.levelBits) bits")
        table.append("  calibration", "\(status.calibration)")
        if status.supply > 0 { table.append("  supply", Self.volts(status.supply)) }
        return table
    }

    var json: JSONValue {
        [
            "actuator": .number(status.actuator),
            "state": .name(status.state),
            "configured": .bool(!isUnconfigured),
            "chip": .string(chip),
            "chip_id": .number(status.chipID),
            "kind": .name(status.kind),
            "locality": .name(status.locality),
            "calibration": .name(status.calibration),
            "resonance_hz": .tenths(status.resonance),
            "rated_volts": .thousandths(status.rated),
            "overdrive_volts": .thousandths(status.overdrive),
            "level_bits": .number(status.levelBits),
            "min_update_us": .number(status.minimumUpdate),
            "frequency_min_hz": .tenths(status.frequencyMin),
            "frequency_max_hz": .tenths(status.frequencyMax),
            "onset_us": .number(status.onset),
            "rise_ms": .number(status.rise),
            "brake_ms": .number(status.brake),
            "tap_dull_us": .number(status.tapDull),
            "tap_sharp_us": .number(status.tapSharp),
            "supply_volts": .thousandths(status.supply),
        ]
    }
}
