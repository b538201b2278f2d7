// Computes the value that a board writes to RTP_INPUT for a level of a stream.

import BridgeLink
import DRV2605

extension ActuatorConfiguration {
    /// Returns the byte that is written for a level of 0...255 that the energy budget does not
    /// limit (SPEC 6.2).
    ///
    /// - Parameter gain: the gain of the actuator; 255 leaves levels unchanged.
    package func writtenValue(for level: Int, gain: UInt8) -> Int {
        let value = register(for: (level * Int(gain) + 127) / 255)
        return image[0x1C] & 0x80 == 0 ? value : value / 2
    }
}
