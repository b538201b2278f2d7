// TapLoss: a tap that is not felt as a tap of its own.

/// A tap that a plan could not keep apart from what is felt around it.
struct TapLoss: Sendable, Equatable {
    /// The reason why the tap is not felt as a tap of its own.
    enum Reason: Sendable {
        /// It is closer to its neighbours than the actuator rises and falls.
        case joined
        /// A level that is as strong hides it, and there is no room to interrupt the level.
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
