// PatternSound: the sound of the open pattern, which the page plays in sync with the pattern.
// `bridge render --wav` writes the same sound.

import AHAP
import HapticCompiler
import HapticPatterns

/// The sound of a pattern, rendered in parts.
struct PatternSound {
    private let pattern: MixedPattern
    private var taps: ArraySlice<VoiceTap>
    private var pieces: ArraySlice<MixedPiece>
    private var tone = PreviewTone(sampleRate: rate)
    /// The number of the next sample, counted from the beginning of the pattern.
    private var next: Int

    /// The number of samples per second.
    static let rate = 48_000
    /// The time that the last click takes to fade away, in microseconds.
    private static let fading: Microseconds = 50_000

    /// Creates the sound of a pattern, beginning at a time.
    init(_ pattern: MixedPattern, from start: Microseconds) {
        self.pattern = pattern
        taps = pattern.taps.drop { $0.time < start }
        pieces = pattern.pieces[...]
        next = Int(start * Microseconds(Self.rate) / 1_000_000)
    }

    private static func time(_ sample: Int) -> Microseconds {
        Microseconds(sample) * 1_000_000 / Microseconds(rate)
    }

    /// Returns the next samples, -1...1; no samples after the end of the pattern.
    mutating func render(_ count: Int) -> [Float] {
        let (start, end) = (Self.time(next), Self.time(next + count))
        guard start < pattern.end + Self.fading else { return [] }
        pieces = pieces.drop { $0.end <= start }
        let span = MixedSpan(
            taps: Array(taps.prefix { $0.time < end }),
            pieces: Array(pieces.prefix { $0.start < end }))
        taps = taps.dropFirst(span.taps.count)
        next += count
        return tone.render(span, from: start, count: count)
    }
}

/// The sound that the page plays; nil if there is none.
nonisolated(unsafe) private var sound: PatternSound?

/// Begins the sound of the open pattern, or of its loop, at a time in microseconds.
@_expose(wasm, "beginSound") @_cdecl("web_begin_sound")
public func beginSound(_ isRepeated: Bool, _ start: Double) {
    sound = opened.map {
        PatternSound(
            isRepeated ? MixedPattern($0.file.pattern.repeated) : $0.mixed,
            from: Microseconds(max(0, start)))
    }
}

/// Provides the next samples of the sound as 32-bit numbers, 48,000 per second; no samples after
/// its end.
@_expose(wasm, "nextSound") @_cdecl("web_next_sound")
public func nextSound(_ count: Int32) -> Int32 {
    let samples = sound?.render(Int(count)) ?? []
    return samples.withUnsafeBytes { Array($0) }.give()
}
