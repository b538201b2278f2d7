// HapticChip: the chips of this family.

/// A chip that a device can drive. A device rejects all other chips with `FAULT_WRONG_CHIP` (SPEC
/// 8).
public enum HapticChip: String, Hashable, Sendable, CaseIterable {
    case drv2605
    case drv2605L

    /// Creates the chip whose STATUS register contains this DEVICE_ID; nil if a device rejects that
    /// chip.
    public init?(deviceID: UInt8) {
        switch deviceID {
        case 3: self = .drv2605
        case 7: self = .drv2605L
        default: return nil
        }
    }
}
