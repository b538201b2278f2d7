// LoopTuning: how the chip drives in a closed loop.

/// The settings of the closed loop that are not voltages (register 0x1A).
///
/// The defaults suit most actuators; a calibration refines the rest.
public struct LoopTuning: Hashable, Sendable {
    /// The strength of braking, 0 to 7: 1, 2, 3, 4, 6, 8 or 16 times as strong as driving, or none.
    public var brakeFactor: UInt8 = 2
    /// The gain of the loop, 0 to 3: low to very high.
    public var loopGain: UInt8 = 1
    /// The gain of the amplifier of the back-EMF, 0 to 3; a calibration overwrites it.
    public var backEMFGain: UInt8 = 2

    /// Creates the default settings.
    public init() {}
}
