// LoopTuning: the settings of the chip's closed loop.

/// The settings of the closed loop, except for voltages (register 0x1A).
///
/// The defaults suit most actuators. A calibration determines the remaining values.
public struct LoopTuning: Hashable, Sendable {
    /// The brake factor, 0 to 7: braking is 1, 2, 3, 4, 6, 8 or 16 times as strong as driving, or
    /// off.
    public var brakeFactor: UInt8 = 2
    /// The gain of the loop, 0 to 3: low, medium, high, very high.
    public var loopGain: UInt8 = 1
    /// The gain of the back-EMF amplifier, 0 to 3. A calibration overwrites it.
    public var backEMFGain: UInt8 = 2

    /// Creates the default settings.
    public init() {}
}
