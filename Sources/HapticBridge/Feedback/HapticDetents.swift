// HapticDetents: the detents of a dial or of content that scrolls. Time is an argument.

import Foundation
import HapticCompiler
import HapticPatterns

/// Turns the angle of a dial, or a scroll position, into clicks, like those of a watch's crown.
///
/// Detents are at all multiples of ``spacing``. The dial clicks when it has left one detent for
/// another:
///
///     var detents = HapticDetents(spacing: 15, leastInterval: engine.clickInterval)
///     if detents.move(to: angle, at: engine.currentTime) != nil { try engine.play(.crownDetent) }
///
/// A dial that trembles at the boundary of two detents does not click again: the next detent begins
/// where the dial is nearer to it by ``hysteresis``, in both directions. A jump over several detents
/// is one click. Clicks never fuse, and are thinned out if they become too many; see
/// <doc:UsingFeedbackSparingly>. ``DetentFeedbackGenerator`` plays them as well.
public struct HapticDetents: Sendable {
    /// A click of the dial.
    public struct Click: Sendable, Hashable {
        /// The number of detents that were passed since the last click; negative if the dial has
        /// turned back, 0 if it has returned meanwhile.
        public var passed: Int
        /// The detent at which the dial is now, counted from position 0.
        public var detent: Int
    }

    /// The distance between two detents, in the unit of the position.
    public let spacing: Double
    /// The distance by which the dial must have passed the middle between two detents, as a part of
    /// ``spacing``.
    public let hysteresis: Double
    /// The detent at which the dial is, counted from position 0.
    public private(set) var detent = 0

    /// The detent at the last click.
    private var clicked = 0
    private var limiter: ClickLimiter

    /// The least time between two clicks that a coin ERM parts, in seconds: the slowest of the usual
    /// actuators. ``HapticEngine/clickInterval`` is that of the actuator at hand.
    public static let leastInterval = DeviceProfile.erm.clickInterval
    /// The greatest detent that is counted.
    private static let farthest = 1e15

    /// Makes the detents of a dial.
    ///
    /// - Parameters:
    ///   - spacing: the distance between two detents, in any unit, above 0.
    ///   - position: the position of the dial at first.
    ///   - hysteresis: the distance beyond the middle between two detents at which the dial clicks,
    ///     as a part of the spacing, 0..<0.5.
    ///   - leastInterval: the least time between two clicks, in seconds, at least 0.
    public init(
        spacing: Double, from position: Double = 0, hysteresis: Double = 0.1,
        leastInterval: TimeInterval = Self.leastInterval
    ) {
        precondition(spacing > 0 && spacing.isFinite, "a spacing above 0")
        precondition((0..<0.5).contains(hysteresis), "a hysteresis in 0..<0.5")
        precondition((0...60).contains(leastInterval), "an interval of 0 to 60 s")
        self.spacing = spacing
        self.hysteresis = hysteresis
        limiter = ClickLimiter(spacing: leastInterval.roundedMicroseconds)
        reset(to: position)
    }

    /// Moves the dial. Returns the click that is to be felt; nil if there is none.
    ///
    /// A position that is not finite is ignored.
    /// - Parameters:
    ///   - position: the new position.
    ///   - time: the time, in seconds on any clock that does not go back, at least 0.
    public mutating func move(to position: Double, at time: TimeInterval) -> Click? {
        guard let place = place(of: position), abs(place - Double(detent)) > 0.5 + hysteresis else {
            return nil
        }
        detent = Int(place.rounded())
        let time = time > 0 ? min(time, Self.latest) : 0
        guard limiter.click(at: time.roundedMicroseconds) == .plays else { return nil }
        defer { clicked = detent }
        return Click(passed: detent - clicked, detent: detent)
    }

    /// Moves the dial without a click: for a value that changes although nobody turns the dial. A
    /// position that is not finite is ignored.
    public mutating func reset(to position: Double) {
        guard let place = place(of: position) else { return }
        detent = Int(place.rounded())
        clicked = detent
    }

    /// The latest time that is told from others, in seconds.
    private static let latest = 1e12

    private func place(of position: Double) -> Double? {
        let place = position / spacing
        return place.isFinite ? min(max(place, -Self.farthest), Self.farthest) : nil
    }
}

extension TimeInterval {
    fileprivate var roundedMicroseconds: Microseconds { Microseconds((self * 1e6).rounded()) }
}
