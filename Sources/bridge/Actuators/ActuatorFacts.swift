// ActuatorFacts: the properties and the state of an actuator, as text and as JSON.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import JSONText
import ToolSupport

/// The message ACTUATOR and the configuration of an actuator, as text and as JSON.
struct ActuatorFacts {
    let status: ActuatorStatus
    /// The configuration; nil if the actuator is not configured.
    let configuration: ActuatorConfiguration?
    /// The figures that have just been measured or specified.
    private let known: Set<NamedActuator.Figure>

    /// Creates the facts from a status, and reads the configuration from the board.
    init(
        status: ActuatorStatus, on board: HapticBoard, known: Set<NamedActuator.Figure> = []
    ) throws {
        (self.status, self.known) = (status, known)
        configuration =
            status.kind == .none
            ? nil : try board.link.configuration(ofActuator: status.actuator)
    }

    var isUnconfigured: Bool { status.state == .unconfigured }

    private var chip: String { HapticChip.name(ofDeviceID: status.chipID) }

    /// The remedy for a driver chip whose EN pin has no effect.
    static let enableAdvice =
        "connect the EN pin of the driver to the board instead of VIN, because without EN nothing "
        + "stops the motor while the board is reset or the bus is defective"

    private static func hertz(_ tenths: UInt16) -> String {
        (Double(tenths) / 10).text(decimals: 1) + " Hz"
    }

    static func volts(_ millivolts: UInt16) -> String {
        (Double(millivolts) / 1000).text(decimals: 2) + " V"
    }

    private static func milliseconds(_ microseconds: UInt16) -> String {
        (Double(microseconds) / 1000).text(decimals: 2) + " ms"
    }

    var table: Table {
        var table = Table()
        table.append("actuator \(status.actuator)", "\(status.state), chip \(chip)")
        guard !isUnconfigured, status.kind != .none else {
            if status.isLocked { table.append("  limits", "locked") }
            return table
        }
        let resonance = status.kind == .lra ? " of \(Self.hertz(status.resonance))" : band
        table.append("  kind", "\(status.kind)\(resonance)")
        table.append("  locality", "\(status.locality)")
        let rated = Self.volts(status.rated)
        table.append("  voltages", "rated \(rated), overdrive \(Self.volts(status.overdrive))")
        let sharp = Self.milliseconds(status.tapSharp)
        table.append("  taps", "\(sharp) (sharp) to \(Self.milliseconds(status.tapDull)) (dull)")
        let onset = Self.milliseconds(status.onset)
        table.append(
            "  response", "onset \(onset), rise \(status.rise) ms, brake \(status.brake) ms")
        table.append("  levels", "\(status.levelBits) bits")
        table.append("  energy", energy)
        table.append("  calibration", "\(status.calibration)")
        if status.isLocked { table.append("  limits", "locked") }
        if status.supply > 0 { table.append("  supply", Self.volts(status.supply)) }
        if status.kind == .lra, let measured = status.measuredResonance {
            table.append("  measured", "\(measured.text(decimals: 0)) Hz")
        }
        return table
    }

    /// The band of the actuator and its law, as text that follows the kind; empty if the actuator
    /// has no band.
    private var band: String {
        guard let band = configuration?.band else { return "" }
        return " of \(Self.hertz(band.lowest)) to \(Self.hertz(band.highest)), \(band.law)"
    }

    /// The limits that a lock enforces, as a table without the loop and the resonance.
    var limits: Table {
        var table = Table()
        table.append("  kind", "\(status.kind)")
        table.append("  rated", Self.volts(status.rated))
        table.append("  overdrive", Self.volts(status.overdrive))
        table.append("  energy", energy)
        return table
    }

    /// A description of the levels that the actuator tolerates, and for how long.
    private var energy: String {
        guard let budget, let fullTime = budget.fullTime else {
            return "full level without a limit"
        }
        return "\(budget.sustainedPercent) % indefinitely, full level for \(fullTime.secondsText)"
    }

    private var budget: EnergyBudget? {
        configuration.map { EnergyBudget(sustained: $0.sustained, milliseconds: $0.budget) }
    }

    /// The table of all facts, including the registers of the chip.
    var fullTable: Table {
        var table = table
        guard let configuration else { return table }
        if !configuration.name.isEmpty {
            table.append("  name", configuration.name.asNameOfStranger)
        }
        PlantFacts(of: configuration, known: known).append(to: &table)
        if configuration.levelMax < 255 {
            table.append("  level", "\(configuration.levelMax) at most")
        }
        guard HapticChip(deviceID: status.chipID) != nil else {
            table.append(
                "  registers", "none, because no supported chip answers; see `bridge doctor`")
            return table
        }
        for (address, meaning) in Self.registers {
            let value = configuration.image[address]
            table.append("  0x\(address.hexadecimal)", "0x\(value.hexadecimal)  \(meaning)")
        }
        return table
    }

    /// The chip's registers in a configuration, with their names from the data sheet.
    private static let registers: [(UInt8, String)] = [
        (0x03, "LIBRARY"), (0x16, "RATED_VOLTAGE"), (0x17, "OD_CLAMP"), (0x18, "A_CAL_COMP"),
        (0x19, "A_CAL_BEMF"), (0x1A, "FEEDBACK"), (0x1B, "CONTROL1"), (0x1C, "CONTROL2"),
        (0x1D, "CONTROL3"), (0x1E, "CONTROL4"), (0x1F, "CONTROL5"), (0x20, "OL_LRA_PERIOD"),
    ]

    var json: JSONValue {
        let plant = configuration.map { PlantFacts(of: $0, known: known) }
        return [
            "actuator": .number(status.actuator),
            "state": .name(status.state),
            "configured": .bool(!isUnconfigured),
            "chip": .string(chip),
            "chip_id": .number(status.chipID),
            "kind": .name(status.kind),
            "locality": .string("\(status.locality)"),
            "locked": .bool(status.isLocked),
            "calibration": .name(status.calibration),
            "diagnosis": .name(status.diagnosis),
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
            "time_constant_ms": plant?.timeConstant ?? nil,
            "acceleration_g": plant?.acceleration ?? nil,
            "start_volts": plant?.startVoltage ?? nil,
            "running_volts": plant?.runningVoltage ?? nil,
            "estimates": .array(plant?.estimates ?? []),
            "supply_volts": .knownThousandths(status.supply),
            "measured_resonance_hz": .tenths(status.measuredResonance),
            "sustained_percent": .number(budget?.sustainedPercent),
            "full_for_seconds": budget?.fullTime.map { .thousandths($0 / 1000) } ?? nil,
            "registers": .string(configuration?.image.bytes.hexadecimal),
        ]
    }
}
