// Fidelity: the difference between a stream and its pattern, in units of 1/255 and in
// just-noticeable differences.

import CMath
import HapticPatterns

/// The greatest differences between a pattern and its stream.
///
/// The times of a stream have a resolution of one tick. Within one tick of a jump, any intermediate
/// level counts as correct.
public struct Fidelity: Sendable, Equatable {
    /// The greatest deviation of an event's time, in microseconds.
    public private(set) var onset: Microseconds = 0
    /// The greatest error of a level or of the intensity of a tap, in units of 1/255.
    public private(set) var level = 0.0
    /// The greatest error of a level or of the intensity of a tap in just-noticeable differences,
    /// see ``jnd(level:for:)``.
    public private(set) var levelJND = 0.0
    /// The greatest error of the sharpness of taps and of continuous events, in units of 1/255; nil
    /// if the stream has no sharpness to compare.
    public private(set) var sharpness: Double?
    /// The greatest error of the sharpness in just-noticeable differences, see
    /// ``jnd(sharpness:for:)``.
    public private(set) var sharpnessJND: Double?
    /// The number of taps of the pattern that are missing in the stream.
    public private(set) var lostTaps = 0
    /// The number of taps in the stream that the pattern does not have.
    public private(set) var addedTaps = 0

    /// The smallest noticeable asynchrony between touch and sound: 24 ms (Adelstein 2003).
    public static let onsetJND: Microseconds = 24_000
    /// The smallest noticeable relative change of a level: 20 % (Israr and Tan 2006: 29 to 33 %).
    public static let levelWeber = 0.2
    /// The minimum ratio of a tap's intensity to a level at which the tap is felt over the level
    /// without an interruption.
    public static let tapOverLevel = 1.27
    /// The level below which nothing is felt, 0...255: 30 dB below full.
    public static let leastFelt = 8.0
    /// The smallest noticeable relative change of a frequency: 18 % (Israr and Tan 2006: 18 to 25 %
    /// between 2 and 200 Hz).
    public static let frequencyWeber = 0.18

    /// The value of ``onset`` in just-noticeable differences.
    public var onsetInJND: Double { Double(onset) / Double(Self.onsetJND) }

    /// Returns the difference between a level and the wanted level, both 0...255, in
    /// just-noticeable differences. This is the absolute difference divided by ``levelWeber`` times
    /// the wanted level. The wanted level is raised to ``leastFelt`` if it is lower.
    public static func jnd(level: Double, for wanted: Double) -> Double {
        abs(level - wanted) / (levelWeber * max(wanted, leastFelt))
    }

    /// Returns the difference between a sharpness and the wanted sharpness, both 0...255, in
    /// just-noticeable differences. This is the absolute difference of the frequencies divided by
    /// ``frequencyWeber`` times the wanted frequency.
    ///
    /// Apple does not define a unit of sharpness. Here, sharpness corresponds linearly to
    /// frequencies of 65 to 300 Hz, as in MPEG-I Haptic Coding (ISO/IEC 23090-31), whose reference
    /// software reads AHAP.
    public static func jnd(sharpness: Double, for wanted: Double) -> Double {
        func frequency(_ sharpness: Double) -> Double { 65 + 235 * sharpness / 255 }
        let difference = abs(frequency(sharpness) - frequency(wanted))
        return difference / (frequencyWeber * frequency(wanted))
    }

    /// Returns the number of just-noticeable differences between two arbitrary levels, both
    /// 0...255: |ln(one / other)| / ln(1 + ``levelWeber``), where levels below ``leastFelt`` count
    /// as ``leastFelt`` (Fechner 1860). Between silence and full level, the number is 18.99.
    public static func steps(between one: Double, and other: Double) -> Double {
        abs(math_log(max(one, leastFelt) / max(other, leastFelt))) / math_log(1 + levelWeber)
    }

    /// Compares a stream with its pattern. Taps are compared individually. Levels and sharpnesses
    /// are compared at every millisecond; for a pattern longer than 500 s, they are compared at
    /// half a million equally spaced times and at the middle of every piece.
    public init(
        of events: [StreamEvent], against pattern: HapticPattern,
        options: CompilerOptions = CompilerOptions()
    ) {
        for event in pattern.events where event.type.isHaptic {
            let tick = StreamTime.nearestTick(to: event.time)
            onset = max(onset, abs(StreamTime.time(of: tick) - event.time))
        }
        let mixed = MixedPattern(pattern, options: options)
        compare(mixed.taps, with: PlayedLevel.taps(of: events))
        compare(mixed, with: PlayedLevel(events) { _ in 0 })
    }

    private mutating func note(level: Double, for wanted: Double) {
        self.level = max(self.level, abs(level - wanted))
        levelJND = max(levelJND, Self.jnd(level: level, for: wanted))
    }

    private mutating func note(sharpness: Double, for wanted: Double) {
        self.sharpness = max(self.sharpness ?? 0, abs(sharpness - wanted))
        sharpnessJND = max(sharpnessJND ?? 0, Self.jnd(sharpness: sharpness, for: wanted))
    }
}

extension Fidelity {
    /// Compares the wanted taps with the played taps. Taps are paired by tick; taps at the same
    /// tick are paired in order.
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
            note(level: Double(match.level), for: tap.intensity.onWireScale)
            note(sharpness: Double(match.sharpness), for: tap.sharpness.onWireScale)
        }
        addedTaps += rest.count
    }

    /// Compares levels and sharpnesses at every sampled time until one tick before the end. A value
    /// counts as correct if the pattern has that value within one tick of the sampled time.
    private mutating func compare(_ mixed: MixedPattern, with stream: PlayedLevel) {
        var stream = stream
        var rest = mixed.pieces[...]
        for time in Self.moments(of: mixed) {
            rest = rest.drop { $0.end < time - StreamTime.tick }
            let tick = StreamTime.nearestTick(to: time)
            let near = rest.prefix { $0.start <= time + StreamTime.tick }
            let level = Self.nearest(Double(stream.level(at: tick)), near, at: time, \.level)
            note(level: level.played, for: level.wanted)
            guard level.wanted >= Self.leastFelt, near.allSatisfy({ $0.sharpness != nil }),
                let played = stream.sharpness(at: tick)
            else { continue }
            let sharpness = Self.nearest(Double(played), near, at: time) {
                $0.sharpness ?? .silence
            }
            note(sharpness: sharpness.played, for: sharpness.wanted)
        }
    }

    /// Returns the played value at a time, and the nearest wanted value within one tick of that
    /// time.
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

    /// Returns every millisecond of a pattern, in order of time. For a pattern longer than
    /// ``samplesMax`` milliseconds, returns that many equally spaced times and the middle of every
    /// piece.
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
