// FirmwareImage: the images that are compiled into the tool.

import BridgeLink
import CToolFiles
import HapticBoards

/// The firmware images of the boards that the project supports.
package enum FirmwareImage {
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

    /// Returns the contents of the program memory of a board that has been flashed with the image in
    /// this program; nil if this program contains no image for the board.
    package static func memory(of welcome: Welcome) -> [UInt8]? {
        guard let board = KnownBoard.of(welcome.kind).first else { return nil }
        switch board.loader {
        case .arduino(_, let capacity):
            let text = welcome.actuators > 1 ? several : one
            return (try? HexImage(text, capacity: capacity))?.bytes
        case .drive(let pins):
            var image = try? UF2Image(uf2)
            let block = pins.block(kind: welcome.kind, actuators: Int(welcome.actuators))
            _ = image?.replace(RP2040Pins.magic, at: RP2040Pins.blockAddress, with: block)
            return image?.memory
        }
    }

    /// Returns the first address at which the image that a board has reported differs from the
    /// expected image; nil if the images are equal. Zeros at the end of the expected image need not
    /// be reported.
    package static func difference(between reported: [UInt8], and expected: [UInt8]) -> Int? {
        let end = expected.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        return (0..<max(reported.count, end)).first { index in
            index >= reported.count || index >= expected.count || reported[index] != expected[index]
        }
    }
}
