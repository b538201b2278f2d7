// HapticDetents: the detents of a dial or of scrolling content. The type has no clock: the caller
// passes the time.

import Foundation
import HapticCompiler
import HapticPatterns

/// A converter from the angle of a dial, or a scroll position, to clicks like those of a watch
/// crown.
///
/// Detents are at all multiples of ``spacing``. The dial clicks when it moves from one detent to
/// another:
///
///     var detents = HapticDetents(spacing: 15, leastInterval: engine.clickInterval)
///     if detents.move(to: angle, at: engine.currentTime) != nil { try engine.play(.crownDetent) }
///
/// A dial that trembles at the boundary between two detents does not click repeatedly: in both
/// directions, the next detent begins ``hysteresis`` beyond the midpoint. A jump over more than one
/// detent is one click. Clicks never fuse, and some are omitted if clicks become too frequent; see
/// <doc:UsingFeedbackSparingly>. ``DetentFeedbackGenerator`` also plays the clicks.
public struct HapticDetents: Sendable {
    /// A click of the dial.
    public struct Click: Sendable, Hashable {
        /// The number of detents that the dial has passed since the last click; negative if the
        /// dial has turned back, 0 if it has returned to the detent of the last click.
        public var passed: Int
        /// The detent at which the dial is now, as a multiple of the spacing from position 0.
        public var detent: Int
    }

    /// The distance between two detents, in the unit of the position.
    public let spacing: Double
    /// The distance that the dial must travel past the midpoint between two detents before it
    /// clicks, as a fraction of ``spacing``.
    public let hysteresis: Double
    /// The detent at which the dial is, as a multiple of the spacing from position 0.
    public private(set) var detent = 0

    /// The detent at the last click.
    private var clicked = 0
    private var limiter: ClickLimiter

    /// The minimum interval between two distinct clicks of a coin ERM, in seconds. A coin ERM is
    /// the slowest of the usual actuators. ``HapticEngine/clickInterval`` is the interval of the
    /// actuator in use.
    public static let leastInterval = DeviceProfile.erm.clickInterval
    /// The maximum index of a detent.
    private static let farthest = 1e15

    /// Creates the detents of a dial.
    ///
    /// - Parameters:
    ///   - spacing: the distance between two detents, in any unit, above 0.
    ///   - position: the initial position of the dial.
    ///   - hysteresis: the distance that the dial must travel past the midpoint between two detents
    ///     before it clicks, as a fraction of the spacing, 0..<0.5.
    ///   - leastInterval: the minimum interval between two clicks, in seconds, 0...60.
    public init(
        spacing: Double, from position: Double = 0, hysteresis: Double = 0.1,
        leastInterval: TimeInterval = Self.leastInterval
    ) {
        precondition(spacing > 0 && spacing.isFinite, "the spacing must be above 0")
        precondition((0..<0.5).contains(hysteresis), "the hysteresis must be in 0..<0.5")
        precondition((0...60).contains(leastInterval), "the interval must be 0 to 60 s")
        self.spacing = spacing
        self.hysteresis = hysteresis
        limiter = ClickLimiter(spacing: leastInterval.roundedMicroseconds)
        reset(to: position)
    }

    /// Moves the dial. Returns the click to play; nil if there is none.
    ///
    /// A position that is not finite is ignored.
    /// - Parameters:
    ///   - position: the new position.
    ///   - time: the time in seconds, at least 0, on any clock that does not run backwards.
    public mutating func move(to position: Double, at time: TimeInterval) -> Click? {
        guard let index = index(of: position), abs(index - Double(detent)) > 0.5 + hysteresis else {
            return nil
        }
        detent = Int(index.rounded())
        let time = time > 0 ? min(time, Self.latest) : 0
        guard limiter.click(at: time.roundedMicroseconds) == .plays else { return nil }
        defer { clicked = detent }
        return Click(passed: detent - clicked, detent: detent)
    }

    /// Moves the dial without a click, for a value that changes although the user does not turn the
    /// dial. A position that is not finite is ignored.
    public mutating func reset(to position: Double) {
        guard let index = index(of: position) else { return }
        detent = Int(index.rounded())
        clicked = detent
    }

    /// The maximum time, in seconds. Later times are treated as equal.
    private static let latest = 1e12

    private func index(of position: Double) -> Double? {
        let index = position / spacing
        return index.isFinite ? min(max(index, -Self.farthest), Self.farthest) : nil
    }
}

extension TimeInterval {
    fileprivate var roundedMicroseconds: Microseconds { Microseconds((self * 1e6).rounded()) }
}
