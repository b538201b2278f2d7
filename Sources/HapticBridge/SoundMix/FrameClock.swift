// FrameClock: computes the host time at which a frame is played, from the reports of a sound
// device. The type performs no I/O.

/// The relation between the frames of a sound device and the clock of the host.
///
/// The device occasionally reports the frame that is currently playing. The reported times jitter
/// by milliseconds, and jump when the device refills its buffers. The clock uses the median of the
/// reports of the last second. For this reason, the clock ignores single outliers, follows drift,
/// and detects a jump after a few reports.
package struct FrameClock: Sendable {
    private let frameRate: Double
    /// The host time of frame 0 according to each of the last observations, in microseconds.
    private var origins: [Double] = []
    /// The host time of frame 0; nil before the first observation.
    private var origin: Double?
    /// The number of observations, up to ``window``.
    private var observed = 0

    /// The maximum number of observations that are kept.
    private static let window = 100
    /// The minimum number of consistent observations after which a clock is settled.
    private static let settling = 20
    /// The number of consecutive observations that must deviate to count as a jump.
    private static let jumpCount = 8
    /// The minimum deviation that counts as a jump, in microseconds.
    private static let jump = 4_000.0

    /// Creates a clock.
    ///
    /// - Parameter frameRate: the nominal frames per second.
    package init(frameRate: Int = SoundVoice.frameRate) { self.frameRate = Double(frameRate) }

    /// True if the clock is accurate enough to schedule sounds: the last observations agree, or the
    /// maximum number of observations has been reached so that waiting longer would not improve the
    /// accuracy.
    package var isSettled: Bool {
        guard origins.count >= Self.settling, observed < Self.window else {
            return observed >= Self.window
        }
        let last = origins.suffix(Self.settling).sorted()
        // The two lowest and the two highest values are ignored.
        return last[last.count - 3] - last[2] < Self.jump
    }

    /// Records the frame that is playing at a host time.
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

    /// Returns the host time at which a frame is played, in microseconds; nil before the first
    /// observation.
    package func time(ofFrame frame: Int64) -> Double? {
        origin.map { $0 + Double(frame) / frameRate * 1_000_000 }
    }
}

/// The host times for which consecutive blocks of frames are rendered. The times follow a clock
/// without gaps: the interval between frames is adjusted inaudibly to compensate for deviations.
package struct FrameTimeline: Sendable {
    /// The host time of the next frame, in microseconds; nil before the first block.
    package private(set) var time: Double?
    private let frameLength: Double

    /// The maximum relative change in the frame interval, which corresponds to 3.5 cents of pitch.
    private static let correctionMax = 0.002
    /// The time constant with which a deviation is corrected, in microseconds. ``correctionMax``
    /// limits the speed of the correction.
    private static let correctionTime = 250_000.0
    /// The deviation above which the times jump, in microseconds.
    private static let jump = 15_000.0

    /// Creates a timeline.
    ///
    /// - Parameter frameRate: the nominal frames per second.
    package init(frameRate: Int = SoundVoice.frameRate) {
        frameLength = 1_000_000 / Double(frameRate)
    }

    /// Returns the host time of the first of the next frames and the interval between frames, in
    /// microseconds.
    ///
    /// - Parameters:
    ///   - count: the number of frames.
    ///   - target: the host time at which the first of these frames is played, according to the
    ///     clock.
    ///   - isSilent: true if the output is currently silent, so a jump is not audible.
    package mutating func next(
        _ count: Int, audibleAt target: Double, isSilent: Bool
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
