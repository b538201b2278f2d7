// ChipFault: the faults that a test can inject into a chip model.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import VirtualBoard

/// A fault that a chip model can simulate.
public enum ChipFault: Equatable, Sendable {
    /// A NACK for the given number of bytes that the chip would otherwise acknowledge.
    case nack(bytes: Int)
    /// A corruption of the given bits of the next level written, which the chip still acknowledges.
    case damage(bits: UInt8)
    /// A brown-out of the chip's supply.
    case brownOut
    /// The state of the chip's own supply, off or on.
    case power(Bool)
    case short(Bool)
    case hot(Bool)
    /// The chip's supply in millivolts, and its decrease at full drive.
    case supply(millivolts: UInt32, sag: UInt32)
    /// The resonance of the LRA in hertz.
    case resonance(hertz: UInt32)
    /// The kind of the connected actuator.
    case attached(ChipActuator)
    /// The outcome of all later calibrations.
    case calibration(ChipCalibration)
    /// The outcome of all later diagnoses.
    case diagnostics(ChipDiagnosis)
}

public enum ChipCalibration: String, Sendable { case passes, fails, never }

public enum ChipActuator: String, Sendable { case lra, erm }

public enum ChipDiagnosis: String, Sendable { case ok, open, shorted }
