// FirmwareImage: the images that are committed beside this file, in the programs that flash them.

/// The firmware of the reference board, as Intel hex.
public enum FirmwareImage {
    /// For one actuator.
    public static let one: [UInt8] = PackageResources.atmega328p_hex
    /// For up to four actuators behind a TCA9548A.
    public static let several: [UInt8] = PackageResources.atmega328p_several_hex
}
