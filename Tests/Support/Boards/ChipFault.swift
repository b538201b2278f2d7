// ChipFault: what a chip can be told to do wrong.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import VirtualBoard

/// A fault that a chip model can be made to show.
public enum ChipFault: Equatable, Sendable {
    /// A failure to acknowledge the next bytes that the chip would acknowledge.
    case nack(bytes: Int)
    /// A change of these bits of the next level that is written, which the chip acknowledges.
    case damage(bits: UInt8)
    /// A dip of the chip's supply.
    case brownOut
    /// The chip's supply alone, off or on.
    case power(Bool)
    case short(Bool)
    case hot(Bool)
    /// The outcome of calibrations from now on.
    case calibration(ChipCalibration)
    /// The outcome of diagnoses from now on.
    case diagnostics(ChipDiagnosis)
}

public enum ChipCalibration: String, Sendable { case passes, fails, never }

public enum ChipDiagnosis: String, Sendable { case ok, open, shorted }
