// How far a stream is from its pattern, in units and in what a finger can tell apart.

public import AHAP

/// The greatest differences between a pattern and its stream, away from jumps.
public struct Fidelity: Sendable, Equatable {
    /// How far an event was moved in time, in microseconds.
    public private(set) var onset: Microseconds = 0
    /// The level's error, of 255.
    public private(set) var level = 0.0
    /// The level's error in just-noticeable differences.
    public private(set) var levelJND = 0.0

    /// The asynchrony of touch and sound that is noticed: 24 ms (Adelstein 2003).
    public static let onsetJND: Microseconds = 24_000
    /// The least relative change of a level that is noticed: 20 % (Israr and Tan 2006: 29 to 33 %).
    public static let levelWeber = 0.2
    /// The level, of 255, below which nothing is felt: 30 dB below full.
    public static let leastFelt = 8.0

    /// ``onset`` in just-noticeable differences.
    public var onsetInJND: Double { Double(onset) / Double(Self.onsetJND) }

    /// Compares a stream with its pattern at every millisecond.
    public init(
        of events: [StreamEvent], against pattern: HapticPattern,
        options: CompilerOptions = CompilerOptions()
    ) {
        for event in pattern.events where event.type.isHaptic {
            let tick = StreamTime.nearestTick(to: event.time)
            onset = max(onset, abs(StreamTime.time(of: tick) - event.time))
        }
        var voice = PatternVoice(pattern, options: options, endless: .limited)
        let end = max(voice.end ?? 0, 1)
        let span = voice.render(until: end)
        let pieces = Mixer(policy: options.mixPolicy).mix(span.pieces, in: 0..<end)
        var played = PlayedLevel(events) { _ in 0 }
        var before = 0.0
        for (index, piece) in pieces.enumerated() {
            let after = index + 1 < pieces.count ? pieces[index + 1].level.value(at: piece.end) : 0
            compare(piece, before, after, &played)
            before = piece.level.value(at: piece.end)
        }
    }

    private mutating func compare(
        _ piece: MixedPiece, _ before: Double, _ after: Double, _ played: inout PlayedLevel
    ) {
        let startsWithJump = abs(piece.level.value(at: piece.start) - before) * 255 > 1
        let endsWithJump = abs(piece.level.value(at: piece.end) - after) * 255 > 1
        let first = piece.start + (startsWithJump ? Self.sample : 0)
        let last = piece.end - (endsWithJump ? Self.sample : 0)
        var time = (first + Self.sample - 1) / Self.sample * Self.sample
        while time < last {
            let exact = piece.level.value(at: time) * 255
            let tick = StreamTime.nearestTick(to: time)
            let error = abs(Double(played.level(at: tick)) - exact)
            level = max(level, error)
            levelJND = max(levelJND, error / (Self.levelWeber * max(exact, Self.leastFelt)))
            time += Self.sample
        }
    }

    private static let sample: Microseconds = 1_000
}
