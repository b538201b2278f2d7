// CanvasFeedbackGenerator: feedback for drawing, as UIKit gives it on Apple Pencil Pro.

import Foundation

/// Feedback for events on a canvas that is drawn on.
///
/// On an iPad, Apple Pencil Pro plays this feedback; here the board does, which may be in a stylus.
public final class CanvasFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// Makes a generator that plays on `engine`, or on the shared engine if it is nil.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays ``SystemFeedback/alignment``: what is drawn or moved snaps to a guide, a ruler or
    /// another object. The location has no effect.
    public func alignmentOccurred(at location: CGPoint) { player.play(.alignment) }

    /// Plays ``SystemFeedback/generic``: a path is complete, for example because its end meets its
    /// beginning or because its shape was recognized. Apple names no pattern for it. The location
    /// has no effect.
    public func pathCompleted(at location: CGPoint) { player.play(.generic) }
}
