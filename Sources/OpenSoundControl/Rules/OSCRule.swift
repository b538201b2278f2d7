// OSCRule: what a message with an address does.

import CMath
import JSONText

/// The effect that messages with certain addresses have.
public struct OSCRule: Sendable, Equatable {
    /// The way in which the value of a message, its first argument, is used.
    public enum Mode: String, Sendable, CaseIterable {
        /// The value is a level that is held.
        case level
        /// A tap when the value reaches `high`, and again once it has been at `low`.
        case tapOnRise = "tap-on-rise"
        /// The speed at which the value changes, per second, is a level.
        case velocity
        /// The pattern with a name begins when the value reaches `high`, as for a tap.
        case pattern
        /// The sharpness of what plays.
        case sharpness
        /// The strength of all that plays.
        case gain
        /// The text of a message holds the envelopes of a .haptic clip, which is played: at once, or
        /// at the position that a line before them gives.
        case envelopes
        /// The sender begins to play. Its position is unknown until it tells it.
        case start
        /// The value is the position of the sender in seconds, which goes on.
        case position
        /// Everything comes to rest.
        case stop
    }

    /// The addresses of the messages.
    public var address: OSCAddressPattern
    /// The use of their value.
    public var mode: Mode
    /// The locality at which the effect is felt; nil for the board's default, and for all of them
    /// if everything stops.
    public var locality: String?
    /// The value that is 0.
    public var low = 0.0
    /// The value that is 1. It may be below `low`.
    public var high = 1.0
    /// The exponent of values between 0 and 1.
    public var curve = 1.0
    /// The sharpness of levels and taps.
    public var sharpness = 0.5
    /// The name of the pattern.
    public var pattern: String?
    /// The text that the first argument must be; nil for any argument.
    public var text: String?

    /// Makes a rule with the values that the others have unless they are given.
    public init(_ address: OSCAddressPattern, _ mode: Mode) {
        self.address = address
        self.mode = mode
    }

    /// Returns whether the rule is for messages with this text.
    func takes(_ text: String?) -> Bool { self.text == nil || self.text == text }

    /// The value between `low` and `high` as a number between 0 and 1, before the curve.
    func share(of value: Double) -> Double { min(1, max(0, (value - low) / (high - low))) }

    /// The value between `low` and `high` as a level.
    func level(of value: Double) -> Double { math_pow(share(of: value), curve) }
}

/// The refusal of a file of rules: its defect, and the place of it.
public struct OSCRuleError: Error, Hashable, CustomStringConvertible {
    /// The first character of what is wrong; nil for a value that is not there.
    public let location: SourceLocation?
    /// The defect, in a few words.
    public let message: String

    public var description: String { location.map { "\($0): \(message)" } ?? message }
}
