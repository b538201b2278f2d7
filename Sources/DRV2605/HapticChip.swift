// HapticChip: the chips of this family.

/// The chips that a device may drive. A device refuses all others with `FAULT_WRONG_CHIP` (SPEC 8).
public enum HapticChip: String, Hashable, Sendable, CaseIterable {
    case drv2605
    case drv2605L

    /// Creates the chip whose STATUS register contains this DEVICE_ID, or nil if a device refuses
    /// that chip.
    public init?(deviceID: UInt8) {
        switch deviceID {
        case 3: self = .drv2605
        case 7: self = .drv2605L
        default: return nil
        }
    }
}
