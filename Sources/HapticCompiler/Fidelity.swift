// How far a stream is from its pattern, in units and in what a finger can tell apart.

public import AHAP

/// The greatest differences between a pattern and its stream, away from jumps.
public struct Fidelity: Sendable, Equatable {
    /// How far an event was moved in time, in microseconds.
    public private(set) var onset: Microseconds = 0
    /// The error of levels and of taps' intensities, of 255.
    public private(set) var level = 0.0
    /// The same in just-noticeable differences, see ``jnd(level:for:)``.
    public private(set) var levelJND = 0.0
    /// The error of the sharpness of taps and of what is felt between them, of 255; nil if the stream
    /// has none to compare.
    public private(set) var sharpness: Double?
    /// The same in just-noticeable differences, see ``jnd(sharpness:for:)``.
    public private(set) var sharpnessJND: Double?
    /// Taps that are felt in the pattern and not in the stream.
    public private(set) var lostTaps = 0
    /// Taps of the stream that the pattern does not have.
    public private(set) var addedTaps = 0

    /// The asynchrony of touch and sound that is noticed: 24 ms (Adelstein 2003).
    public static let onsetJND: Microseconds = 24_000
    /// The least relative change of a level that is noticed: 20 % (Israr and Tan 2006: 29 to 33 %).
    public static let levelWeber = 0.2
    /// The level, of 255, below which nothing is felt: 30 dB below full.
    public static let leastFelt = 8.0
    /// The least relative change of a frequency that is noticed: 18 % (Israr and Tan 2006: 18 to 25 %
    /// between 2 and 200 Hz).
    public static let frequencyWeber = 0.18

    /// ``onset`` in just-noticeable differences.
    public var onsetInJND: Double { Double(onset) / Double(Self.onsetJND) }

    /// How many just-noticeable differences a level is from the one that is wanted, both of 255:
    /// the difference over ``levelWeber`` of what is wanted, which counts as ``leastFelt`` at least.
    public static func jnd(level: Double, for wanted: Double) -> Double {
        abs(level - wanted) / (levelWeber * max(wanted, leastFelt))
    }

    /// How many just-noticeable differences a sharpness is from the one that is wanted, both of 255:
    /// the difference of frequencies over ``frequencyWeber`` of what is wanted.
    ///
    /// Apple gives sharpness no unit. Here it spans 65 to 300 Hz linearly, as in MPEG-I Haptic Coding
    /// (ISO/IEC 23090-31), whose reference software reads AHAP.
    public static func jnd(sharpness: Double, for wanted: Double) -> Double {
        func frequency(_ sharpness: Double) -> Double { 65 + 235 * sharpness / 255 }
        let difference = abs(frequency(sharpness) - frequency(wanted))
        return difference / (frequencyWeber * frequency(wanted))
    }

    /// Compares a stream with its pattern: taps one by one, the rest at every millisecond.
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
        let pieces = mixed.pieces
        var played = PlayedLevel(events) { _ in 0 }
        for (index, piece) in pieces.enumerated() {
            compare(
                piece, after: index > 0 ? pieces[index - 1] : nil,
                before: index + 1 < pieces.count ? pieces[index + 1] : nil, &played)
        }
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
    /// Pairs taps by their ticks; of those at one tick, by their order.
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

    private mutating func compare(
        _ piece: MixedPiece, after previous: MixedPiece?, before next: MixedPiece?,
        _ played: inout PlayedLevel
    ) {
        let first = piece.start + (Self.isJump(previous, piece, at: piece.start) ? Self.sample : 0)
        let last = piece.end - (Self.isJump(piece, next, at: piece.end) ? Self.sample : 0)
        var time = (first + Self.sample - 1) / Self.sample * Self.sample
        while time < last {
            let tick = StreamTime.nearestTick(to: time)
            let wanted = piece.level.value(at: time).onWireScale
            note(level: Double(played.level(at: tick)), for: wanted)
            if wanted >= Self.leastFelt, let line = piece.sharpness,
                let sharpness = played.sharpness(at: tick)
            {
                note(
                    sharpness: Double(sharpness),
                    for: min(max(line.value(at: time), 0), 1).onWireScale)
            }
            time += Self.sample
        }
    }

    /// Whether level or sharpness changes at once from one piece to the next.
    private static func isJump(
        _ piece: MixedPiece?, _ next: MixedPiece?, at time: Microseconds
    ) -> Bool {
        func differ(_ one: Line?, _ other: Line?) -> Bool {
            let (before, after) = (one?.value(at: time), other?.value(at: time))
            return abs((before ?? 0) - (after ?? 0)).onWireScale > 1
        }
        return differ(piece?.level, next?.level) || differ(piece?.sharpness, next?.sharpness)
    }

    private static let sample: Microseconds = 1_000
}
