// FirmwareImage: the images that are committed beside this file, for the programs that flash them.

/// The firmware images of the reference board, as Intel hex.
public enum FirmwareImage {
    /// The image for one actuator.
    public static let one: [UInt8] = PackageResources.atmega328p_hex
    /// The image for up to four actuators behind a TCA9548A.
    public static let several: [UInt8] = PackageResources.atmega328p_several_hex
}
