// DetentFeedbackGenerator: the detents of a dial as feedback.

import Foundation
import SerialPorts

/// Feedback for a dial that turns, for content that scrolls or is dragged, or for pressure that
/// rises: a click for each detent.
///
/// For example, for a dial with 24 detents:
///
///     let dial = DetentFeedbackGenerator(spacing: 15)
///     dial.moved(to: angle)
///
/// For items that scroll onto a screen, the spacing is the height of an item. An object that is
/// dragged over a grid has ``SystemFeedback/alignment`` at each of its lines, and a force click
/// ``SystemFeedback/levelChange`` at each level of its pressure:
///
///     let force = DetentFeedbackGenerator(.levelChange, spacing: 0.25)
///     force.moved(to: pressure)
///
/// ``HapticDetents`` describes which movements click.
public final class DetentFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    private let detents: LockedValue<HapticDetents>
    private let feedback: SystemFeedback

    /// Makes a generator.
    ///
    /// - Parameters:
    ///   - feedback: the pattern of each detent.
    ///   - spacing: the distance between two detents, in any unit, above 0.
    ///   - position: the position of the dial at first.
    ///   - engine: the engine to play on; nil for the shared engine.
    public init(
        _ feedback: SystemFeedback = .crownDetent, spacing: Double, from position: Double = 0,
        engine: HapticEngine? = nil
    ) {
        self.feedback = feedback
        // The player knows the actuator, and keeps the clicks apart.
        detents = LockedValue(HapticDetents(spacing: spacing, from: position, leastInterval: 0))
        super.init(engine: engine)
    }

    /// Plays a click if the dial has passed a detent. A position that is not finite is ignored.
    public func moved(to position: Double) {
        let now = ProcessInfo.processInfo.systemUptime
        guard detents.withLock({ $0.move(to: position, at: now) }) != nil else { return }
        player.play(feedback)
    }

    /// Moves the dial without a click: for a value that changes although nobody turns the dial.
    public func reset(to position: Double) { detents.withLock { $0.reset(to: position) } }
}
