// FirmwareImage: the image that is committed beside this file, in the programs that flash it.

/// The firmware of the reference board.
public enum FirmwareImage {
    /// As Intel hex.
    public static let hex: [UInt8] = PackageResources.atmega328p_hex
}
