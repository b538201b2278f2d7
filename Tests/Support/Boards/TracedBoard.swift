// The features of a board that tests need in addition to stepping: the board's clock, its trace,
// and parts that can fail.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import VirtualBoard

/// A stepped board whose trace can be compared with the device's clock.
public protocol TracedBoard: SteppedBoard {
    /// True if `transactions` and `driveChanges` contain the bus traffic; otherwise they are empty.
    var hasTrace: Bool { get }
    /// Returns the time in the trace at which the device's clock shows `clock`. This time must be
    /// within half an hour of the last reset.
    func traceTime(of clock: UInt32) -> BoardTime
    /// True if the chip's EN pin is high.
    var isEnabled: Bool { get }
    /// The errors in the use of the chip that its model has detected; empty without a trace.
    var findings: [String] { get }
    /// The reason why the board is no longer available; nil while the board is available. After a
    /// failure, time continues to advance, so that every wait for the board ends.
    var failure: String? { get }
}

/// A board whose parts a test can reset, break and repair.
public protocol BreakableBoard: TracedBoard, ResettableBoard {
    /// Disconnects the supply of the whole board and restores it.
    func powerCycle()
    /// Causes the main loop to hang immediately, with interrupts enabled or disabled, until the
    /// watchdog resets the board.
    func hang(interruptsOn: Bool)
    /// Immediately injects a fault into the chip of an actuator, or ends a fault.
    func chip(_ number: Int, _ fault: ChipFault)
    /// Inverts bits of the next byte that is written to the multiplexer, which still acknowledges
    /// the byte.
    func multiplexerIsMisled(bits: UInt8)
}

extension BreakableBoard {
    /// Injects a fault into the chip of the first actuator, or ends a fault.
    public func chip(_ fault: ChipFault) { chip(0, fault) }
}

extension InProcessBoard: BreakableBoard {
    public var hasTrace: Bool { true }
    public var failure: String? { nil }
    public var isEnabled: Bool { chip.pointee.enabled }
    public func multiplexerIsMisled(bits: UInt8) {
        tca9548a_model_inject_damage(&multiplexer, bits)
    }
    public var findings: [String] {
        chips.flatMap { ChipFindings($0.pointee).descriptions }
    }
    private var chips: [UnsafeMutablePointer<drv2605_model>] {
        (0..<actuatorCount).map { chip(of: $0) }
    }

    public func traceTime(of clock: UInt32) -> BoardTime { boardTime(of: clock) }

    public func powerCycle() {
        for chip in chips { drv2605_model_power(chip, UInt64(now), false) }
        reset(cause: BRIDGE_RESET_POWER)
        for chip in chips { drv2605_model_power(chip, UInt64(now), true) }
    }

    /// Simulates a watchdog reset immediately, because this board has no main loop that could hang.
    public func hang(interruptsOn: Bool) { reset(cause: BRIDGE_RESET_WATCHDOG) }

    public func chip(_ number: Int, _ fault: ChipFault) {
        let now = UInt64(now)
        let chip = chip(of: number)
        switch fault {
        case .nack(let bytes): drv2605_model_inject_nack(chip, UInt32(bytes))
        case .damage(let bits): drv2605_model_inject_damage(chip, bits)
        case .brownOut: drv2605_model_inject_brown_out(chip, now, now)
        case .power(let on): drv2605_model_power(chip, now, on)
        case .short(let on): drv2605_model_inject_short(chip, now, on)
        case .hot(let on): drv2605_model_inject_over_temperature(chip, now, on)
        case .supply(let millivolts, let sag):
            (chip.pointee.supply_mv, chip.pointee.sag_mv) = (millivolts, sag)
        case .resonance(let hertz): chip.pointee.resonance_millihertz = hertz * 1_000
        case .enable(let wire):
            disconnectEnablePin(ofActuator: number, level: wire == .pin ? nil : wire == .high)
        case .swappedWires(let areSwapped): hasSwappedWires = areSwapped
        case .weakPullUps(let areWeak): hasWeakPullUps = areWeak
        case .attached(.lra): chip.pointee.attached = MODEL_ATTACHED_LRA
        case .attached(.erm): chip.pointee.attached = MODEL_ATTACHED_ERM
        case .calibration(.passes): chip.pointee.calibration = MODEL_CALIBRATION_PASSES
        case .calibration(.fails): chip.pointee.calibration = MODEL_CALIBRATION_FAILS
        case .calibration(.never): chip.pointee.calibration = MODEL_CALIBRATION_NEVER_FINISHES
        case .diagnostics(.ok): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_OK
        case .diagnostics(.open): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_OPEN
        case .diagnostics(.shorted): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_SHORTED
        }
    }
}
