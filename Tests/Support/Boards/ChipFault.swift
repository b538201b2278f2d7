// ChipFault: the faults that a test can inject into a chip model.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import VirtualBoard

/// A fault that a chip model can simulate.
public enum ChipFault: Equatable, Sendable {
    /// A NACK for each of the next `bytes` bytes that the chip would otherwise acknowledge.
    case nack(bytes: Int)
    /// An inversion of bits in the next level that is written. The chip still acknowledges the
    /// level.
    case damage(bits: UInt8)
    /// A brown-out of the chip's supply.
    case brownOut
    /// The state of the chip's own supply: on or off.
    case power(Bool)
    case short(Bool)
    case hot(Bool)
    /// The chip's supply in millivolts, and its decrease at full drive.
    case supply(millivolts: UInt32, sag: UInt32)
    /// The resonance of the LRA in hertz.
    case resonance(hertz: UInt32)
    /// The kind of the connected actuator.
    case attached(ChipActuator)
    /// The connection of the EN pin.
    case enable(EnableWire)
    /// True if SDA and SCL are swapped between the board and its chips.
    case swappedWires(Bool)
    /// True if the pull-up resistors of the bus are too weak for 400 kHz.
    case weakPullUps(Bool)
    /// The outcome of all later calibrations.
    case calibration(ChipCalibration)
    /// The outcome of all later diagnoses.
    case diagnostics(ChipDiagnosis)
}

public enum ChipCalibration: String, Sendable { case passes, fails, never }

/// The connection of a chip's EN pin: to a pin of the board, to the supply (high), or to nothing
/// (low).
public enum EnableWire: String, Sendable { case pin, high, low }

public enum ChipActuator: String, Sendable { case lra, erm }

public enum ChipDiagnosis: String, Sendable { case ok, open, shorted }
