// OSCRule: the effect of messages with certain addresses.

import CMath
import JSONText

/// The effect of messages with certain addresses.
public struct OSCRule: Sendable, Equatable {
    /// The way in which the value of a message, its first argument, is used.
    public enum Mode: String, Sendable, CaseIterable {
        /// The value sets a level. The level then remains constant.
        case level
        /// A tap is played when the value reaches `high`. The value must then return to `low`
        /// before another tap can be played.
        case tapOnRise = "tap-on-rise"
        /// The rate at which the value changes, per second, sets a level.
        case velocity
        /// The pattern with the given name is played when the value reaches `high`. As with a tap,
        /// the value must then return to `low` before the pattern can be played again.
        case pattern
        /// The value sets the sharpness of the patterns that are playing.
        case sharpness
        /// The value sets the gain of all patterns that are playing.
        case gain
        /// The text contains the envelopes of a `.haptic` clip. The clip is played immediately, or
        /// at the position that its heading specifies.
        case envelopes
        /// The sender starts playing. The position of the sender is unknown until the sender
        /// reports it.
        case start
        /// The value is the position of the sender in seconds. Playback continues from this
        /// position.
        case position
        /// All patterns and levels end.
        case stop
    }

    /// The addresses of the messages.
    public var address: OSCAddressPattern
    /// The use of the value in a message.
    public var mode: Mode
    /// The locality of the effect. If the locality is nil, a stop applies to all localities, and
    /// any other effect applies to the default locality of the board.
    public var locality: String?
    /// The value in messages that corresponds to 0.
    public var low = 0.0
    /// The value in messages that corresponds to 1. This value may be less than `low`.
    public var high = 1.0
    /// The exponent that is applied to values after they have been scaled to 0...1.
    public var curve = 1.0
    /// The sharpness of levels and taps.
    public var sharpness = 0.5
    /// The name of the pattern.
    public var pattern: String?
    /// The text that the first argument must contain; nil if any argument is allowed.
    public var text: String?

    /// Creates a rule whose other properties have their default values.
    public init(_ address: OSCAddressPattern, _ mode: Mode) {
        self.address = address
        self.mode = mode
    }

    /// Returns whether the rule applies to messages with the given text.
    func accepts(_ text: String?) -> Bool { self.text == nil || self.text == text }

    /// Returns the value of a message scaled to 0...1, before the curve is applied.
    func fraction(of value: Double) -> Double { min(1, max(0, (value - low) / (high - low))) }

    /// Returns the value of a message scaled to 0...1, with the curve applied.
    func level(of value: Double) -> Double { math_pow(fraction(of: value), curve) }
}

/// The reason why a file of rules is invalid, with the location of the error.
public struct OSCRuleError: Error, Hashable, CustomStringConvertible {
    /// The location of the first character of the invalid element; nil if a value is missing.
    public let location: SourceLocation?
    /// A short description of the error.
    public let message: String

    public var description: String { location.map { "\($0): \(message)" } ?? message }
}
