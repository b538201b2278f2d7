// OSCEffect: the effect of a message.

/// An effect that a message requests.
public struct OSCEffect: Sendable, Equatable {
    /// The kinds of effects. Values are from 0 to 1.
    public enum Kind: Sendable, Equatable {
        /// A tap.
        case tap(intensity: Double, sharpness: Double)
        /// The level of a sender's parameter. It is held until it is replaced, or for `hold`
        /// seconds; nil for the default time for which levels are held without a message. An
        /// intensity of 0 ends the level.
        case level(key: String, intensity: Double, sharpness: Double, hold: Double?)
        /// Playback of the pattern with a name.
        case play(String)
        /// Playback of the clip with these envelopes after a delay in seconds.
        case envelopes(String, delay: Double)
        /// The sharpness of the patterns that are playing.
        case sharpness(Double)
        /// The gain of the patterns that are playing.
        case gain(Double)
        /// The end of all patterns and levels.
        case stop
    }

    /// The kind of the effect, with its values.
    public var kind: Kind
    /// The locality. If it is nil, a stop and a change of the gain apply to all localities, and all
    /// other effects to the default locality of the board.
    public var locality: String?

    /// Makes an effect.
    public init(_ kind: Kind, locality: String? = nil) {
        self.kind = kind
        self.locality = locality
    }
}
