// OSCEffect: the effect that a message has.

/// An effect that a message requests.
public struct OSCEffect: Sendable, Equatable {
    /// The kinds of effects. Values are from 0 to 1.
    public enum Kind: Sendable, Equatable {
        /// A tap.
        case tap(intensity: Double, sharpness: Double)
        /// A level that a sender sets through one parameter. The level is held until another level
        /// replaces it, or for `hold` seconds. If `hold` is nil, the level is held for the default
        /// time. An intensity of 0 ends the level.
        case level(key: String, intensity: Double, sharpness: Double, hold: Double?)
        /// Plays the pattern with the given name.
        case play(String)
        /// Plays the clip with these envelopes after a delay in seconds.
        case envelopes(String, delay: Double)
        /// Sets the sharpness of the patterns that are playing.
        case sharpness(Double)
        /// Sets the gain of the patterns that are playing.
        case gain(Double)
        /// Ends all patterns and levels.
        case stop
    }

    /// The kind of the effect, with its values.
    public var kind: Kind
    /// The locality of the effect. If the locality is nil, a stop or a change of the gain applies
    /// to all localities, and any other effect applies to the default locality of the board.
    public var locality: String?

    /// Creates an effect.
    public init(_ kind: Kind, locality: String? = nil) {
        self.kind = kind
        self.locality = locality
    }
}
