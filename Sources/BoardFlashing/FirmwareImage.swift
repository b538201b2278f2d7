// FirmwareImage: the images that are compiled into the tool.

import CToolFiles

/// The firmware images of the boards that the project supports.
enum FirmwareImage {
    /// The image of the reference board for one actuator, as Intel hex.
    static let one = bytes(of: firmware_image_atmega328p())
    /// The image of the reference board for up to four actuators behind a TCA9548A, as Intel hex.
    static let several = bytes(of: firmware_image_atmega328p_several())
    /// The image for boards with an RP2040, as UF2, with the pins of a Raspberry Pi Pico with one
    /// actuator.
    static let uf2 = bytes(of: firmware_image_rp2040())

    private static func bytes(of image: firmware_image_t) -> [UInt8] {
        [UInt8](UnsafeBufferPointer(start: image.bytes, count: image.count))
    }
}
