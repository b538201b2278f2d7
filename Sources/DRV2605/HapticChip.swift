// HapticChip: the chips of the DRV2605 family.

/// A chip that a device can drive. A device rejects any other chip with `FAULT_WRONG_CHIP` (SPEC
/// 8).
public enum HapticChip: String, Hashable, Sendable, CaseIterable {
    case drv2605
    case drv2605L

    /// Creates the chip whose STATUS register contains the given DEVICE_ID; nil if devices reject
    /// chips with this id.
    public init?(deviceID: UInt8) {
        switch deviceID {
        case 3: self = .drv2605
        case 7: self = .drv2605L
        default: return nil
        }
    }
}

extension HapticChip {
    /// The 7-bit address of every chip on the I2C bus (SLOS854D 8.5.3).
    package static let address: UInt8 = 0x5A

    /// Returns the name of the chip with a DEVICE_ID; 0 means that no chip answers.
    package static func name(ofDeviceID id: UInt8) -> String {
        switch HapticChip(deviceID: id) {
        case .drv2605?: "DRV2605"
        case .drv2605L?: "DRV2605L"
        case nil: id == 0 ? "none" : "unknown (id \(id))"
        }
    }
}
