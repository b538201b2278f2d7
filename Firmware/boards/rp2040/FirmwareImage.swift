// FirmwareImage: the image that is committed beside this file, for the program that flashes it.

/// The firmware image of boards with an RP2040.
public enum FirmwareImage {
    /// The image as UF2. Its pins are those of a Raspberry Pi Pico with one actuator.
    public static let uf2: [UInt8] = PackageResources.rp2040_uf2
}
