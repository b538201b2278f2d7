// CanvasFeedbackGenerator: feedback for drawing, like UIKit's feedback on Apple Pencil Pro.

import Foundation

/// A generator of feedback for events on a drawing canvas.
///
/// On an iPad, Apple Pencil Pro plays this feedback. In this library, the board, which may be part
/// of a stylus, plays the feedback.
public final class CanvasFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// Creates a generator that plays on `engine`, or on the shared engine if `engine` is nil.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays ``SystemFeedback/alignment``, which indicates that an object that is drawn or moved
    /// has snapped to a guide, a ruler or another object. The location is ignored.
    public func alignmentOccurred(at location: CGPoint) { player.play(.alignment) }

    /// Plays ``SystemFeedback/generic``, which indicates that a path is complete, for example
    /// because its end meets its beginning or because its shape was recognized. Apple does not
    /// document a pattern for this event. The location is ignored.
    public func pathCompleted(at location: CGPoint) { player.play(.generic) }
}
