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
    /// A switch of the chip's own supply, off or on.
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
    /// A swap of SDA and SCL between the board and its chips, on or off.
    case swappedWires(Bool)
    /// Pull-up resistors of the bus that are too weak for 400 kHz, on or off.
    case weakPullUps(Bool)
    /// The outcome of all later calibrations.
    case calibration(ChipCalibration)
    /// The outcome of all later diagnoses.
    case diagnostics(ChipDiagnosis)
}

public enum ChipCalibration: String, Sendable { case passes, fails, never }

/// The connection of a chip's EN pin, which is connected to the board or to the supply, or is
/// unconnected and therefore low.
public enum EnableWire: String, Sendable { case pin, high, low }

public enum ChipActuator: String, Sendable { case lra, erm }

public enum ChipDiagnosis: String, Sendable { case ok, open, shorted }
