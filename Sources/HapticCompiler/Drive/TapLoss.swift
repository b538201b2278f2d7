// TapLoss: a tap that cannot be felt as a separate tap.

/// A tap that, in the drive plan, could not be separated from neighboring taps or from the level.
struct TapLoss: Sendable, Equatable {
    /// The reason why the tap cannot be felt separately.
    enum Reason: Sendable {
        /// The tap is so close to its neighbors that the actuator cannot fall and rise between
        /// them.
        case joined
        /// The tap is too weak to be felt over the level, and the level cannot be interrupted in
        /// time.
        case hidden
    }

    /// The index of the event in its voice's pattern.
    var source: Int
    /// The index of the voice.
    var voice: Int
    var reason: Reason

    init(_ tap: VoiceTap, _ reason: Reason) {
        source = tap.source
        voice = tap.voice
        self.reason = reason
    }
}
