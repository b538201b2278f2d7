// Fidelity: the difference between a stream and its pattern, in units of 1/255 and in
// just-noticeable differences.

import CMath
import HapticPatterns

/// The greatest differences between a pattern and its stream.
///
/// The times in a stream have a resolution of one tick. Within one tick of a jump, any level
/// between the two levels of the jump is considered correct.
public struct Fidelity: Sendable, Equatable {
    /// The greatest deviation of an event's time, in microseconds.
    public private(set) var onset: Microseconds = 0
    /// The greatest error of a level or of a tap's intensity, in units of 1/255.
    public private(set) var level = 0.0
    /// The greatest error of a level or of a tap's intensity, in just-noticeable differences; see
    /// ``jnd(level:for:)``.
    public private(set) var levelJND = 0.0
    /// The greatest error of the sharpness of taps and continuous events, in units of 1/255; nil if
    /// the stream contains no sharpness that can be compared.
    public private(set) var sharpness: Double?
    /// The greatest error of the sharpness, in just-noticeable differences; see
    /// ``jnd(sharpness:for:)``. This value is nil if ``sharpness`` is nil.
    public private(set) var sharpnessJND: Double?
    /// The number of taps in the pattern that the stream does not contain.
    public private(set) var lostTaps = 0
    /// The band of the actuator for which the stream was compiled; nil if no band was specified.
    private var band: BandDrive?
    /// The number of taps in the stream that the pattern does not contain.
    public private(set) var addedTaps = 0

    /// The smallest delay between touch and sound that people notice: 24 ms (Adelstein 2003).
    public static let onsetJND: Microseconds = 24_000
    /// The smallest relative change of a level that people notice: 20 % (Israr and Tan 2006: 29 to
    /// 33 %).
    public static let levelWeber = 0.2
    /// The minimum ratio between the intensity of a tap and a level at which the tap can be felt
    /// over the level without interrupting it.
    public static let tapOverLevel = 1.27
    /// The level below which nothing can be felt, on the scale 0...255: 30 dB below full level.
    public static let leastFelt = 8.0
    /// The smallest relative change of a frequency that people notice: 18 % (Israr and Tan 2006: 18
    /// to 25 % between 2 and 200 Hz).
    public static let frequencyWeber = 0.18

    /// The value of ``onset``, in just-noticeable differences.
    public var onsetInJND: Double { Double(onset) / Double(Self.onsetJND) }

    /// Returns the difference between a level and the desired level, both 0...255, in
    /// just-noticeable differences. The result is the absolute difference divided by the product of
    /// ``levelWeber`` and the desired level. If the desired level is below ``leastFelt``,
    /// ``leastFelt`` is used in its place.
    public static func jnd(level: Double, for wanted: Double) -> Double {
        abs(level - wanted) / (levelWeber * max(wanted, leastFelt))
    }

    /// Returns the difference between a sharpness and the desired sharpness, both 0...255, in
    /// just-noticeable differences. The result is the absolute difference of the two frequencies
    /// divided by the product of ``frequencyWeber`` and the desired frequency.
    ///
    /// Apple does not define a unit of sharpness. Here, sharpness corresponds linearly to the
    /// frequencies from 65 to 300 Hz, as in MPEG-I Haptic Coding (ISO/IEC 23090-31), whose
    /// reference software reads AHAP.
    public static func jnd(sharpness: Double, for wanted: Double) -> Double {
        func frequency(_ sharpness: Double) -> Double {
            SharpnessFrequency.hertz(ofSharpness: sharpness / 255)
        }
        let difference = abs(frequency(sharpness) - frequency(wanted))
        return difference / (frequencyWeber * frequency(wanted))
    }

    /// Returns the number of just-noticeable differences between two levels, both 0...255: |ln(one
    /// / other)| / ln(1 + ``levelWeber``) (Fechner 1860). Levels below ``leastFelt`` are treated as
    /// equal to ``leastFelt``. The number between silence and full level is 18.99.
    public static func steps(between one: Double, and other: Double) -> Double {
        abs(math_log(max(one, leastFelt) / max(other, leastFelt))) / math_log(1 + levelWeber)
    }

    /// Compares a stream with its pattern. If the stream was compiled for an actuator with a band,
    /// the comparison uses the levels and sharpnesses that this actuator renders. Taps are compared
    /// individually. Levels and sharpnesses are compared at every millisecond. If the pattern is
    /// longer than 500 s, levels and sharpnesses are compared at half a million equally spaced
    /// times and at the middle of every piece instead. An interval in which neither the pattern nor
    /// the stream changes is compared once.
    public init(
        of events: [StreamEvent], against pattern: HapticPattern,
        options: CompilerOptions = CompilerOptions(), band: FrequencyBand? = nil
    ) {
        self.band = band.map { BandDrive($0) }
        for event in pattern.events where event.type.isHaptic {
            let tick = StreamTime.nearestTick(to: event.time)
            onset = max(onset, abs(StreamTime.time(of: tick) - event.time))
        }
        let mixed = MixedPattern(pattern, options: options)
        compare(mixed.taps, with: PlayedLevel.taps(of: events))
        compare(mixed, with: events)
    }

    private mutating func record(level: Double, for wanted: Double) {
        self.level = max(self.level, abs(level - wanted))
        levelJND = max(levelJND, Self.jnd(level: level, for: wanted))
    }

    private mutating func record(sharpness: Double, for wanted: Double) {
        self.sharpness = max(self.sharpness ?? 0, abs(sharpness - wanted))
        let jnd = band?.jnd(sharpness: sharpness, for: wanted)
        sharpnessJND = max(
            sharpnessJND ?? 0, jnd ?? Self.jnd(sharpness: sharpness, for: wanted))
    }
}

extension Fidelity {
    /// Compares the desired taps with the played taps. Taps at the same tick form pairs. If several
    /// taps have the same tick, they are paired in order.
    private mutating func compare(_ wanted: [VoiceTap], with played: [PlayedTap]) {
        var rest = played[...]
        for tap in wanted where tap.intensity.onWireScale >= 0.5 {
            let tick = StreamTime.nearestTick(to: tap.time)
            while rest.first.map({ $0.tick < tick }) == true {
                addedTaps += 1
                rest = rest.dropFirst()
            }
            guard let match = rest.first, match.tick == tick else {
                lostTaps += 1
                continue
            }
            rest = rest.dropFirst()
            let played = designed(match.level, Int(match.sharpness))
            record(level: played.level, for: tap.intensity.onWireScale)
            record(sharpness: played.sharpness, for: tap.sharpness.onWireScale)
        }
        addedTaps += rest.count
    }

    /// Compares levels and sharpnesses at every sampled time, up to one tick before the end. A
    /// value is considered correct if the pattern has the same value at some time within one tick
    /// of the sampled time.
    private mutating func compare(_ mixed: MixedPattern, with events: [StreamEvent]) {
        var stream = PlayedLevel(events) { _ in 0 }
        var rest = mixed.pieces[...]
        for time in Self.moments(of: mixed, events) {
            rest = rest.drop { $0.end < time - StreamTime.tick }
            let tick = StreamTime.nearestTick(to: time)
            let near = rest.prefix { $0.start <= time + StreamTime.tick }
            let sharpnessInStream = stream.sharpness(at: tick)
            let played = designed(stream.level(at: tick), sharpnessInStream ?? 0)
            let level = Self.nearest(played.level, near, at: time) { $0.level }
            record(level: level.played, for: level.wanted)
            guard level.wanted >= Self.leastFelt, near.allSatisfy({ $0.sharpness != nil }),
                sharpnessInStream != nil
            else { continue }
            let sharpness = Self.nearest(played.sharpness, near, at: time) {
                $0.sharpness ?? .silence
            }
            record(sharpness: sharpness.played, for: sharpness.wanted)
        }
    }

    /// Returns the level and the sharpness that a pattern needs to be rendered with the given
    /// values in the stream, all 0...255.
    private func designed(_ level: Int, _ sharpness: Int) -> (level: Double, sharpness: Double) {
        guard let band else { return (Double(level), Double(sharpness)) }
        let designed = band.designed(Double(level) / 255, Double(sharpness) / 255)
        return (designed.intensity.onWireScale, designed.sharpness.onWireScale)
    }

    /// Returns the played value at the given time, and the desired value nearest to it within one
    /// tick of that time.
    private static func nearest(
        _ played: Double, _ pieces: ArraySlice<MixedPiece>, at time: Microseconds,
        _ line: (MixedPiece) -> Line
    ) -> (played: Double, wanted: Double) {
        let wanted = pieces.flatMap { piece in
            [max(piece.start, time - StreamTime.tick), min(piece.end, time + StreamTime.tick)].map {
                min(max(line(piece).value(at: $0), 0), 1).onWireScale
            }
        }
        guard let least = wanted.min(), let greatest = wanted.max() else { return (played, 0) }
        return (played, min(max(played, least), greatest))
    }

    /// Returns the times at which a pattern is compared with a stream, in order.
    private static func moments(
        of mixed: MixedPattern, _ events: [StreamEvent]
    ) -> [Microseconds] {
        let played = events.map { event in
            let start = StreamTime.time(of: event.tick)
            return start..<(start + StreamTime.time(of: event.duration) + 1)
        }
        // A sampled time is compared with the pattern within one tick of it.
        var changes = (mixed.changes + played).joined(extendedBy: 2 * StreamTime.tick)[...]
        var interval: Int?
        return moments(of: mixed).filter { time in
            changes = changes.drop { $0.upperBound <= time }
            if let change = changes.first, change.contains(time) { return true }
            defer { interval = changes.startIndex }
            return interval != changes.startIndex
        }
    }

    /// Returns every millisecond of a pattern, in order of time. If the pattern is longer than
    /// ``samplesMax`` milliseconds, returns ``samplesMax`` equally spaced times and the middle of
    /// every piece instead.
    private static func moments(of mixed: MixedPattern) -> [Microseconds] {
        let end = mixed.end - StreamTime.tick
        let step = max(sample, end / samplesMax)
        let moments = Array(stride(from: 0, to: end, by: Int(step)))
        guard step > sample else { return moments }
        let middles = mixed.pieces.map { $0.start + ($0.end - $0.start) / 2 }
        return (moments + middles.filter { $0 < end }).sorted()
    }

    private static let sample: Microseconds = 1_000
    private static let samplesMax: Microseconds = 500_000
}
