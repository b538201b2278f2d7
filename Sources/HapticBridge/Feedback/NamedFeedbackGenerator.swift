// NamedFeedbackGenerator: feedback by the name of its pattern.

import Foundation

/// Feedback of any named pattern, for those that have no generator in UIKit.
///
/// A force click whose button has several levels is weaker at the first than at the last:
///
///     let click = NamedFeedbackGenerator(.levelChange)
///     click.occurred(intensity: 0.5)
///     click.occurred()
public final class NamedFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// The pattern that is played.
    public let feedback: SystemFeedback

    /// Makes a generator that plays on `engine`, or on the shared engine if it is nil.
    public init(_ feedback: SystemFeedback, engine: HapticEngine? = nil) {
        self.feedback = feedback
        super.init(engine: engine)
    }

    /// Plays the pattern.
    ///
    /// - Parameter intensity: the factor by which the pattern is weaker than by itself, 0...1.
    ///   Values outside the range are moved to its nearest end.
    public func occurred(intensity: CGFloat = 1) { player.play(feedback, intensity: intensity) }
}
