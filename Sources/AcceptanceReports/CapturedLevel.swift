// CapturedLevel: a level on the wires of a driver, as recorded by a logic analyzer.

import BridgeLink
import JSONText

/// A write to the register that holds the level. The text of a level consists of the time in
/// microseconds, the value and, if known, the mask of the connected channels of the multiplexer:
/// "1520.25 7f" or "1520.25 7f 03".
public struct CapturedLevel: Equatable, Sendable {
    /// The time at which the first bit of the address was sent, in microseconds since the start of
    /// the capture.
    package var time: Double
    package var value: UInt8
    /// The connected channels of the multiplexer; nil if the capture contains no earlier access to
    /// the multiplexer.
    package var channels: UInt8?

    package init(time: Double, value: UInt8, channels: UInt8? = nil) {
        (self.time, self.value, self.channels) = (time, value, channels)
    }

    /// Creates a level from its text; nil if the text is invalid.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard 2...3 ~= words.count, let time = Double(words[0]), 0...Self.timeMax ~= time,
            let value = UInt8(words[1], radix: 16)
        else { return nil }
        self.init(time: time, value: value)
        guard words.count == 3 else { return }
        guard let channels = UInt8(words[2], radix: 16) else { return nil }
        self.channels = channels
    }

    /// The maximum time of a level: one hour.
    private static let timeMax = 3.6e9

    package var text: String {
        let bytes = [value] + [channels].compactMap(\.self)
        return ([time.text(decimals: 2)] + bytes.map { [$0].hexadecimal }).joined(separator: " ")
    }
}
