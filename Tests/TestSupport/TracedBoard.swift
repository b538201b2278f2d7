// What tests need of a board beyond stepping it: its clock, its trace, and parts that break.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import VirtualBoard

/// A stepped board whose trace can be held against the device's clock.
public protocol TracedBoard: SteppedBoard {
    /// Whether `transactions` and `driveChanges` show what the bus carries; if not, they are empty.
    var hasTrace: Bool { get }
    /// The moment of the trace at which the device's clock shows `clock`, within half an hour of
    /// its newest reset.
    func traceTime(of clock: UInt32) -> BoardTime
    /// The chip's EN pin.
    var isEnabled: Bool { get }
    /// What the chip model found wrong with how it was used; empty without a trace.
    var findings: [String] { get }
    /// Why there is no board any more, once its program or its port is gone. Time still advances
    /// then, so that whatever waits for the board comes to its end.
    var failure: String? { get }
}

/// A board whose parts a test can reset and break.
public protocol BreakableBoard: TracedBoard {
    /// Pulls the reset pin.
    func reset()
    /// Takes the supply of the whole board away and gives it back.
    func powerCycle()
    /// The main loop hangs at once; interrupts go on or not. The watchdog ends it.
    func hang(interruptsOn: Bool)
    /// Breaks or mends the chip of an actuator now.
    func chip(_ number: Int, _ fault: ChipFault)
}

extension BreakableBoard {
    /// That of the first one.
    public func chip(_ fault: ChipFault) { chip(0, fault) }
}

/// What a chip can be told to do wrong.
public enum ChipFault: Equatable, Sendable {
    /// The next bytes that it would acknowledge are not.
    case nack(bytes: Int)
    /// A dip of its supply.
    case brownOut
    /// Its supply alone.
    case power(Bool)
    case short(Bool)
    case hot(Bool)
    /// How calibrations end from now on.
    case calibration(ChipCalibration)
    /// What diagnoses find from now on.
    case diagnostics(ChipDiagnosis)
}

public enum ChipCalibration: String, Sendable { case passes, fails, never }
public enum ChipDiagnosis: String, Sendable { case ok, open, shorted }

/// What a chip model found wrong with how it was used.
public struct ChipFindings: Equatable, Sendable {
    public var undefinedAccesses = 0
    /// Real-time playback begun with an old level.
    public var staleStarts = 0
    public var unmodelledModes = 0
    public var stalledTransfers = 0
    public var isProgrammed = false

    /// In words; empty if nothing is wrong.
    public var descriptions: [String] {
        [
            undefinedAccesses > 0 ? "\(undefinedAccesses) undefined accesses" : nil,
            staleStarts > 0 ? "\(staleStarts) stale starts" : nil,
            unmodelledModes > 0 ? "\(unmodelledModes) unmodelled modes" : nil,
            isProgrammed ? "one-time memory programmed" : nil,
        ].compactMap { $0 }
    }
}

extension ChipFindings {
    init(_ chip: drv2605_model) {
        undefinedAccesses = Int(chip.undefined_accesses)
        staleStarts = Int(chip.stale_rtp_starts)
        unmodelledModes = Int(chip.unmodelled_modes)
        stalledTransfers = Int(chip.stalled_transfers)
        isProgrammed = chip.otp_programmed
    }
}

extension InProcessBoard: BreakableBoard {
    public var hasTrace: Bool { true }
    public var failure: String? { nil }
    public var isEnabled: Bool { chip.pointee.enabled }
    public var findings: [String] {
        chips.flatMap { ChipFindings($0.pointee).descriptions }
    }
    private var chips: [UnsafeMutablePointer<drv2605_model>] {
        (0..<actuatorCount).map { chip(of: $0) }
    }

    public func traceTime(of clock: UInt32) -> BoardTime { boardTime(of: clock) }

    public func reset() { reset(cause: BRIDGE_RESET_EXTERNAL) }

    public func powerCycle() {
        for chip in chips { drv2605_model_power(chip, UInt64(now), false) }
        reset(cause: BRIDGE_RESET_POWER)
        for chip in chips { drv2605_model_power(chip, UInt64(now), true) }
    }

    /// There is no main loop to hang here: the watchdog's reset comes at once.
    public func hang(interruptsOn: Bool) { reset(cause: BRIDGE_RESET_WATCHDOG) }

    public func chip(_ number: Int, _ fault: ChipFault) {
        let now = UInt64(now)
        let chip = chip(of: number)
        switch fault {
        case .nack(let bytes): drv2605_model_inject_nack(chip, UInt32(bytes))
        case .brownOut: drv2605_model_inject_brown_out(chip, now, now)
        case .power(let on): drv2605_model_power(chip, now, on)
        case .short(let on): drv2605_model_inject_short(chip, now, on)
        case .hot(let on): drv2605_model_inject_over_temperature(chip, now, on)
        case .calibration(.passes): chip.pointee.calibration = MODEL_CALIBRATION_PASSES
        case .calibration(.fails): chip.pointee.calibration = MODEL_CALIBRATION_FAILS
        case .calibration(.never): chip.pointee.calibration = MODEL_CALIBRATION_NEVER_FINISHES
        case .diagnostics(.ok): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_OK
        case .diagnostics(.open): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_OPEN
        case .diagnostics(.shorted): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_SHORTED
        }
    }
}
