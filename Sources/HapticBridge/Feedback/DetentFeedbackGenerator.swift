// DetentFeedbackGenerator: the detents of a dial as feedback.

import Foundation

/// Feedback for a dial that turns, or for content that scrolls: ``SystemFeedback/crownDetent`` for
/// each detent.
///
/// For example, for a dial with 24 detents:
///
///     let dial = DetentFeedbackGenerator(spacing: 15)
///     dial.moved(to: angle)
///
/// For items that scroll onto a screen, the spacing is the height of an item. ``HapticDetents``
/// describes which movements click.
public final class DetentFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    private let detents: LockedValue<HapticDetents>

    /// Makes a generator.
    ///
    /// - Parameters:
    ///   - spacing: the distance between two detents, in any unit, above 0.
    ///   - position: the position of the dial at first.
    ///   - engine: the engine to play on; nil for the shared engine.
    public init(spacing: Double, from position: Double = 0, engine: HapticEngine? = nil) {
        // The player knows the actuator, and keeps the clicks apart.
        detents = LockedValue(HapticDetents(spacing: spacing, from: position, leastInterval: 0))
        super.init(engine: engine)
    }

    /// Plays a click if the dial has passed a detent. A position that is not finite is ignored.
    public func moved(to position: Double) {
        let now = ProcessInfo.processInfo.systemUptime
        guard detents.withLock({ $0.move(to: position, at: now) }) != nil else { return }
        player.play(.crownDetent)
    }

    /// Moves the dial without a click: for a value that changes although nobody turns the dial.
    public func reset(to position: Double) { detents.withLock { $0.reset(to: position) } }
}
