// DetentFeedbackGenerator: the detents of a dial as feedback.

import Foundation
import SerialPorts

/// A generator that plays a click for each detent of a dial that turns, of content that scrolls or
/// is dragged, or of pressure that rises.
///
/// For example, for a dial with 24 detents:
///
///     let dial = DetentFeedbackGenerator(spacing: 15)
///     dial.moved(to: angle)
///
/// For items that scroll onto a screen, the spacing is the height of an item. For an object that is
/// dragged over a grid, use ``SystemFeedback/alignment`` at each grid line; for a force click, use
/// ``SystemFeedback/levelChange`` at each pressure level:
///
///     let force = DetentFeedbackGenerator(.levelChange, spacing: 0.25)
///     force.moved(to: pressure)
///
/// ``HapticDetents`` describes the movements that cause a click.
public final class DetentFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    private let detents: LockedValue<HapticDetents>
    private let feedback: SystemFeedback

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - feedback: the pattern of each detent.
    ///   - spacing: the distance between two detents, in any unit, above 0.
    ///   - position: the initial position of the dial.
    ///   - engine: the engine that plays; nil for the shared engine.
    public init(
        _ feedback: SystemFeedback = .crownDetent, spacing: Double, from position: Double = 0,
        engine: HapticEngine? = nil
    ) {
        self.feedback = feedback
        // The feedback player spaces the clicks according to the actuator, so no interval is set
        // here.
        detents = LockedValue(HapticDetents(spacing: spacing, from: position, leastInterval: 0))
        super.init(engine: engine)
    }

    /// Moves the dial, and plays a click if the dial has passed a detent. A position that is not
    /// finite is ignored.
    public func moved(to position: Double) {
        let now = ProcessInfo.processInfo.systemUptime
        guard detents.withLock({ $0.move(to: position, at: now) }) != nil else { return }
        player.play(feedback)
    }

    /// Moves the dial without a click, for a value that changes although the user does not turn the
    /// dial.
    public func reset(to position: Double) { detents.withLock { $0.reset(to: position) } }
}
