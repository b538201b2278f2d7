// OSCEffect: what messages do.

/// Something that a message asks for.
public struct OSCEffect: Sendable, Equatable {
    /// The kinds of effects. Values are from 0 to 1.
    public enum Kind: Sendable, Equatable {
        /// A tap.
        case tap(intensity: Double, sharpness: Double)
        /// The level of a sender's parameter, which holds until it is replaced, or for so many
        /// seconds: nil for the time that levels are held without a message. 0 is rest.
        case level(key: String, intensity: Double, sharpness: Double, hold: Double?)
        /// The pattern with this name is played.
        case play(String)
        /// The clip with these envelopes is played, so many seconds later.
        case envelopes(String, delay: Double)
        /// The sharpness of what plays.
        case sharpness(Double)
        /// The strength of what plays.
        case gain(Double)
        /// Everything comes to rest.
        case stop
    }

    /// The kind of the effect, with its values.
    public var kind: Kind
    /// The locality; nil for the board's default, and for all of them if everything stops or its
    /// gain changes.
    public var locality: String?

    /// Makes an effect.
    public init(_ kind: Kind, locality: String? = nil) {
        self.kind = kind
        self.locality = locality
    }
}
