// OSCRule: the effect of messages with certain addresses.

import CMath
import JSONText

/// The effect of messages with certain addresses.
public struct OSCRule: Sendable, Equatable {
    /// The use of the value of a message, which is its first argument.
    public enum Mode: String, Sendable, CaseIterable {
        /// The value sets a level, which is held.
        case level
        /// A tap is played when the value reaches `high`. After that, the value must return to
        /// `low` before the next tap.
        case tapOnRise = "tap-on-rise"
        /// The change of the value per second sets a level.
        case velocity
        /// The pattern with a name is played when the value reaches `high`, under the conditions of
        /// a tap.
        case pattern
        /// The value sets the sharpness of the patterns that are playing.
        case sharpness
        /// The value sets the gain of all patterns that are playing.
        case gain
        /// The text contains the envelopes of a `.haptic` clip. The clip is played immediately, or
        /// at the position in its heading.
        case envelopes
        /// The sender starts playback. Its position is unknown until it reports the position.
        case start
        /// The value is the position of the sender in seconds. Playback continues from there.
        case position
        /// All patterns and levels end.
        case stop
    }

    /// The addresses of the messages.
    public var address: OSCAddressPattern
    /// The use of the value of a message.
    public var mode: Mode
    /// The locality of the effect. If it is nil, a stop applies to all localities, and other
    /// effects to the default locality of the board.
    public var locality: String?
    /// The value of the message that corresponds to 0.
    public var low = 0.0
    /// The value of the message that corresponds to 1. It may be below `low`.
    public var high = 1.0
    /// The exponent that is applied to scaled values of 0...1.
    public var curve = 1.0
    /// The sharpness of levels and taps.
    public var sharpness = 0.5
    /// The name of the pattern.
    public var pattern: String?
    /// The required text of the first argument; nil for any argument.
    public var text: String?

    /// Makes a rule with the default values of the other properties.
    public init(_ address: OSCAddressPattern, _ mode: Mode) {
        self.address = address
        self.mode = mode
    }

    /// Returns whether the rule applies to messages with a text.
    func takes(_ text: String?) -> Bool { self.text == nil || self.text == text }

    /// Returns a value of a message scaled to 0...1, before the curve is applied.
    func share(of value: Double) -> Double { min(1, max(0, (value - low) / (high - low))) }

    /// Returns a value of a message scaled to 0...1, after the curve is applied.
    func level(of value: Double) -> Double { math_pow(share(of: value), curve) }
}

/// The reason why a file of rules is invalid, with the location of the error.
public struct OSCRuleError: Error, Hashable, CustomStringConvertible {
    /// The location of the first character of the invalid element; nil for a missing value.
    public let location: SourceLocation?
    /// A short description of the error.
    public let message: String

    public var description: String { location.map { "\($0): \(message)" } ?? message }
}
