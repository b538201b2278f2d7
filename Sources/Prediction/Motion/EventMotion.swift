// EventMotion: the measured motion of each event of a pattern, compared with its prediction.

import BridgeLink
import HapticPatterns

/// The times at which an event is felt, and the figures of an event that is felt alone.
public struct EventMotion: Hashable, Sendable {
    /// The time from the event to its predicted onset, in milliseconds; nil if the prediction has
    /// no onset at the event.
    public var predictedOnset: Double?
    /// The time from the event to its measured onset, in milliseconds; nil if the measurement has
    /// no onset at the event.
    public var onset: Double?
    /// The figures of an event that is felt alone; nil for other events.
    public var pulse: PulseFigures?

    /// The time by which the measured onset is later than the predicted onset, in milliseconds.
    public var delay: Double? {
        guard let onset, let predictedOnset else { return nil }
        return onset - predictedOnset
    }

    /// Finds the onsets of an event in a window, relative to the time of the event.
    ///
    /// The window of the measurement blurs the peak of a tap, which shifts the time at which half
    /// of the peak is reached. This shift is taken from the prediction and subtracted.
    private init(
        at start: Double, in window: Range<Double>, _ measured: MotionEnvelope,
        _ predicted: MotionEnvelope, blurred: MotionEnvelope, least: Double
    ) {
        let exact = predicted.onset(in: window, least: least)
        let shift = blurred.onset(in: window, least: least).flatMap { blurred in
            exact.map { blurred - $0 }
        }
        predictedOnset = exact.map { ($0 - start) / 1_000 }
        onset = measured.onset(in: window, least: least).map { ($0 - (shift ?? 0) - start) / 1_000 }
    }

    /// The time before an event in which its vibration can begin, in microseconds.
    private static let before = 80_000.0
    /// The time after the start of an event within which its peak is searched, in microseconds.
    private static let after = 100_000.0
    /// The time after the end of an event that is felt alone within which the vibration decays, in
    /// microseconds. The ring is measured after this time.
    private static let fall = 80_000.0

    /// Returns the motion of each event of a pattern; nil for sounds.
    ///
    /// - Parameters:
    ///   - lead: the time in the stream at which the pattern begins, in microseconds.
    ///   - least: the amplitude in g below which an event is not felt.
    ///   - noise: the amplitude of the noise, in g.
    public static func all(
        of pattern: HapticPattern, lead: Microseconds, measured: MotionEnvelope,
        predicted: MotionEnvelope, least: Double, noise: Double
    ) -> [EventMotion?] {
        let felt = pattern.events.indices.filter { pattern.events[$0].type.isHaptic }
        let blurred = predicted.measured(as: measured)
        var motions = [EventMotion?](repeating: nil, count: pattern.events.count)
        for (position, index) in felt.enumerated() {
            let event = pattern.events[index]
            let start = Double(event.time + lead)
            let end = start + Double(length(of: event))
            let earlier = felt[..<position].map {
                Double(pattern.events[$0].time + lead + length(of: pattern.events[$0]))
            }.max()
            let previous =
                position > 0 ? Double(pattern.events[felt[position - 1]].time + lead) : nil
            let next =
                position + 1 < felt.count
                ? Double(pattern.events[felt[position + 1]].time + lead) : nil
            // The vibration begins before its event, so windows end halfway between two events.
            let first = max(start - before, previous.map { (start + $0) / 2 } ?? -.infinity)
            let last = min(start + after, next.map { (start + $0) / 2 } ?? .infinity)
            var motion = EventMotion(
                at: start, in: first..<last, measured, predicted, blurred: blurred, least: least)
            let rest = end + fall + PulseFigures.ringTime
            let isAlone =
                earlier ?? -.infinity < start - 2 * before
                && next ?? .infinity > rest + before
            if isAlone {
                motion.pulse = PulseFigures(of: measured, in: (start - before)..<rest, noise: noise)
            }
            motions[index] = motion
        }
        return motions
    }

    private static func length(of event: HapticEvent) -> Microseconds {
        event.type == .hapticContinuous ? event.length ?? 0 : 0
    }
}
