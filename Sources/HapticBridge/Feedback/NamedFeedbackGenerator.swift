// NamedFeedbackGenerator: feedback that is selected by the name of its pattern.

import Foundation

/// A generator of any named pattern, for patterns that have no generator in UIKit.
///
/// A force click with several pressure levels is weaker at the first level than at the last:
///
///     let click = NamedFeedbackGenerator(.levelChange)
///     click.occurred(intensity: 0.5)
///     click.occurred()
public final class NamedFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// The pattern that is played.
    public let feedback: SystemFeedback

    /// Creates a generator that plays on `engine`, or on the shared engine if `engine` is nil.
    public init(_ feedback: SystemFeedback, engine: HapticEngine? = nil) {
        self.feedback = feedback
        super.init(engine: engine)
    }

    /// Plays the pattern.
    ///
    /// - Parameter intensity: the factor that scales the intensity of the pattern, 0...1. Values
    ///   outside the range are clamped.
    public func occurred(intensity: CGFloat = 1) { player.play(feedback, intensity: intensity) }
}
