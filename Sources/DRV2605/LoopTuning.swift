// LoopTuning: the settings of the chip's closed loop.

/// The settings of the closed loop, except for its voltages (register 0x1A).
///
/// The defaults suit most actuators. A calibration determines the other properties of the loop.
public struct LoopTuning: Hashable, Sendable {
    /// The brake factor, 0 to 7. With 0 to 6, braking is 1, 2, 3, 4, 6, 8 or 16 times as strong as
    /// driving; 7 disables braking.
    public var brakeFactor: UInt8 = 2
    /// The loop gain: 0 (low), 1 (medium), 2 (high) or 3 (very high).
    public var loopGain: UInt8 = 1
    /// The gain of the back-EMF amplifier, 0 to 3. A calibration replaces this value.
    public var backEMFGain: UInt8 = 2

    /// Creates the default settings.
    public init() {}
}
