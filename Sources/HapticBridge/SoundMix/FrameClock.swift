// FrameClock: the host time at which a frame is heard, of what a sound device says. No I/O.

/// Relates the frames of a sound device to the host's clock.
///
/// A device says now and then which frame is heard at present. What it says jitters by milliseconds,
/// and jumps where it has to buffer anew. The clock takes the median of the last second, so that
/// single values do not matter, drift is followed, and a jump is noticed within some values.
package struct FrameClock: Sendable {
    private let frameRate: Double
    /// The host time of frame 0 by each of the last observations, in microseconds.
    private var origins: [Double] = []
    /// The host time of frame 0; nil before the first observation.
    private var origin: Double?
    /// The number of observations, up to ``window``.
    private var observed = 0

    /// The number of observations that count.
    private static let window = 100
    /// The number of observations after which the clock is settled.
    private static let settling = 20
    /// The number of successive observations that make a jump.
    private static let jumpCount = 8
    /// The least jump, in microseconds.
    private static let jump = 4_000.0

    /// Makes a clock.
    ///
    /// - Parameter frameRate: the nominal frames per second.
    package init(frameRate: Int = SoundVoice.frameRate) { self.frameRate = Double(frameRate) }

    /// True if enough is known for sounds to be placed: the last observations agree, or so many have not that
    /// no better ones are to come.
    package var isSettled: Bool {
        guard origins.count >= Self.settling, observed < Self.window else {
            return observed >= Self.window
        }
        let last = origins.suffix(Self.settling).sorted()
        // The few that deviate most do not count.
        return last[last.count - 3] - last[2] < Self.jump
    }

    /// Notes which frame is heard at a host time.
    ///
    /// - Parameters:
    ///   - frame: the number of the frame.
    ///   - time: the host time, in microseconds.
    package mutating func observe(frame: Int64, at time: Double) {
        observed = min(observed + 1, Self.window)
        origins.append(time - Double(frame) / frameRate * 1_000_000)
        if origins.count > Self.window { origins.removeFirst() }
        if let origin, origins.count > Self.jumpCount, hasJumped(from: origin) {
            origins.removeFirst(origins.count - Self.jumpCount)
        }
        origin = origins.sorted()[origins.count / 2]
    }

    private func hasJumped(from origin: Double) -> Bool {
        let last = origins.suffix(Self.jumpCount)
        return last.allSatisfy { $0 - origin > Self.jump }
            || last.allSatisfy { origin - $0 > Self.jump }
    }

    /// Returns the host time at which a frame is heard, in microseconds; nil before the first
    /// observation.
    package func time(ofFrame frame: Int64) -> Double? {
        origin.map { $0 + Double(frame) / frameRate * 1_000_000 }
    }
}

/// The host times for which successive blocks of frames are rendered. They follow a clock without
/// breaks: a deviation is made good by frames that are a little closer or wider, which nobody hears.
package struct FrameTimeline: Sendable {
    /// The host time of the next frame, in microseconds; nil before the first.
    package private(set) var time: Double?
    private let frameLength: Double

    /// The greatest change of pace: 3.5 cents of pitch.
    private static let correctionMax = 0.002
    /// The time in which a deviation is made good, if the greatest change of pace allows it, in
    /// microseconds.
    private static let correctionTime = 250_000.0
    /// The deviation from which on the times jump, in microseconds.
    private static let jump = 15_000.0

    /// Makes a timeline.
    ///
    /// - Parameter frameRate: the nominal frames per second.
    package init(frameRate: Int = SoundVoice.frameRate) {
        frameLength = 1_000_000 / Double(frameRate)
    }

    /// Returns the host time of the first of the next frames, and from each to the next, in
    /// microseconds.
    ///
    /// - Parameters:
    ///   - count: the number of frames.
    ///   - target: the host time at which the first of them is heard, by the clock.
    ///   - isSilent: whether nothing is heard at present, so that a jump is not noticed.
    package mutating func next(
        _ count: Int, heardAt target: Double, isSilent: Bool
    ) -> (start: Double, step: Double) {
        var start = time ?? target
        if isSilent || abs(target - start) > Self.jump { start = target }
        let correction = (target - start) / Self.correctionTime
        let pace = 1 + min(max(correction, -Self.correctionMax), Self.correctionMax)
        let step = frameLength * pace
        time = start + step * Double(count)
        return (start, step)
    }
}
