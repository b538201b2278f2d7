// EffectBytes: the bytes of the kernel's structures for force feedback.

import ProgramProtocols

extension RumbleEffect {
    /// Reads an effect from the hexadecimal digits of its parts.
    ///
    /// - Parameters:
    ///   - type: type and number of the effect.
    ///   - replay: length and delay in milliseconds.
    ///   - rest: the bytes that are specific to the type.
    init?(hex type: String, replay: String, _ rest: String) {
        // The direction and the trigger are not 0, because they must be ignored.
        let head = [UInt8](hex: type + "00c0 2001 0a00" + replay + "0000")
        self.init(Array((head + [UInt8](hex: rest) + [UInt8](repeating: 0, count: 32)).prefix(48)))
    }
}

extension RumbleEvent {
    /// Reads an event from the hexadecimal digits of its type, code and value.
    init?(hex: String) {
        self.init([UInt8](hex: "e110000000000000 7b00000000000000" + hex))
    }
}
