// PulseFigures: the figures by which the vibrations of devices are usually compared.

/// The figures of a single tap or hold, with the names from Google's procedure for phones
/// (source.android.com, "Haptics: measure, analyze, compare"). The definitions are this project's
/// own.
public struct PulseFigures: Hashable, Sendable {
    /// The greatest amplitude, in g.
    public var peak: Double
    /// The time from the first motion, a tenth of the peak, to the peak, in milliseconds.
    public var timeToPeak: Double
    /// The time for which the amplitude is at least half of the peak, in milliseconds.
    public var duration: Double
    /// The peak divided by the mean amplitude in the 50 ms after this time: the peak to ring ratio.
    public var ringRatio: Double
    /// The figure of merit for sharpness: the peak to ring ratio per millisecond of ``duration``.
    public var sharpness: Double { ringRatio / duration }

    /// The time after a pulse in which the ring is measured, in microseconds.
    public static let ringTime = 50_000.0
    /// The amplitude of the first motion, as a fraction of the peak.
    private static let firstMotion = 0.1

    /// Measures a pulse. Returns nil unless the amplitude rises from rest and falls again within the
    /// window, followed by the time in which the ring is measured.
    ///
    /// - Parameters:
    ///   - window: the times between which only this pulse is felt, in microseconds.
    ///   - noise: the amplitude of the noise in g, which limits the ratio.
    public init?(of envelope: MotionEnvelope, in window: Range<Double>, noise: Double) {
        guard let peak = envelope.peak(in: window), peak.value > 0,
            let motion = envelope.rise(
                to: Self.firstMotion * peak.value, from: window.lowerBound, before: peak.time),
            let rise = envelope.rise(
                to: peak.value / 2, from: window.lowerBound, before: peak.time),
            let fall = envelope.fall(
                to: peak.value / 2, from: peak.time, before: window.upperBound),
            fall + Self.ringTime <= window.upperBound
        else { return nil }
        self.peak = peak.value
        timeToPeak = (peak.time - motion) / 1_000
        duration = (fall - rise) / 1_000
        let ring = envelope.mean(in: fall..<(fall + Self.ringTime))
        ringRatio = peak.value / max(ring, noise, .leastNormalMagnitude)
    }
}
