// The abilities of a board that tests need in addition to stepping: its clock, its trace, and parts
// that break.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import VirtualBoard

/// A stepped board whose trace can be compared with the device's clock.
public protocol TracedBoard: SteppedBoard {
    /// True if `transactions` and `driveChanges` show the traffic of the bus; if not, they are
    /// empty.
    var hasTrace: Bool { get }
    /// Returns the moment of the trace at which the device's clock shows `clock`, within half an
    /// hour of its newest reset.
    func traceTime(of clock: UInt32) -> BoardTime
    /// True if the chip's EN pin is high.
    var isEnabled: Bool { get }
    /// The faults that the chip model found in how it was used; empty without a trace.
    var findings: [String] { get }
    /// The reason why there is no board any more, once its program or its port is gone; otherwise
    /// nil. Time still advances then, so that everything that waits for the board ends.
    var failure: String? { get }
}

/// A board whose parts a test can reset, break and repair.
public protocol BreakableBoard: TracedBoard {
    /// Pulls the reset pin.
    func reset()
    /// Removes the supply of the whole board and restores it.
    func powerCycle()
    /// Makes the main loop hang at once, with interrupts on or off. The watchdog ends this.
    func hang(interruptsOn: Bool)
    /// Breaks or repairs the chip of an actuator now.
    func chip(_ number: Int, _ fault: ChipFault)
    /// Makes the pull-up resistors of the bus too weak for 400 kHz, or good again.
    func pullUps(areWeak: Bool)
    /// Inverts bits of the next byte that is written to the multiplexer, which acknowledges it.
    func multiplexerIsMisled(bits: UInt8)
}

extension BreakableBoard {
    /// Breaks or repairs the chip of the first actuator.
    public func chip(_ fault: ChipFault) { chip(0, fault) }
}

extension InProcessBoard: BreakableBoard {
    public var hasTrace: Bool { true }
    public var failure: String? { nil }
    public var isEnabled: Bool { chip.pointee.enabled }
    public func pullUps(areWeak: Bool) { hasWeakPullUps = areWeak }
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

    public func reset() { reset(cause: BRIDGE_RESET_EXTERNAL) }

    public func powerCycle() {
        for chip in chips { drv2605_model_power(chip, UInt64(now), false) }
        reset(cause: BRIDGE_RESET_POWER)
        for chip in chips { drv2605_model_power(chip, UInt64(now), true) }
    }

    /// Resets the board by the watchdog at once, because there is no main loop to hang here.
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
        case .calibration(.passes): chip.pointee.calibration = MODEL_CALIBRATION_PASSES
        case .calibration(.fails): chip.pointee.calibration = MODEL_CALIBRATION_FAILS
        case .calibration(.never): chip.pointee.calibration = MODEL_CALIBRATION_NEVER_FINISHES
        case .diagnostics(.ok): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_OK
        case .diagnostics(.open): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_OPEN
        case .diagnostics(.shorted): chip.pointee.diagnostics = MODEL_DIAGNOSTICS_SHORTED
        }
    }
}
