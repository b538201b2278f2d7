// PatternDesign: the output of a pattern over time, for drawing the pattern and for scrubbing.

import HapticCompiler
import HapticPatterns

/// The level and the sharpness of a pattern with curves and envelopes applied, and its taps.
struct PatternDesign: Sendable {
    /// A level and a sharpness at one time.
    struct Sample: Sendable, Equatable {
        /// The time, in microseconds from the start of the pattern.
        var time: Microseconds
        /// The intensity, 0...1.
        var intensity: Double
        /// The sharpness, 0...1; 0 in silence.
        var sharpness: Double
    }

    private let mixed: MixedPattern

    /// The maximum distance in time from the playhead at which a tap is played, in microseconds.
    private static let reach: Microseconds = 20_000

    /// Renders a pattern.
    init(_ pattern: HapticPattern) { mixed = MixedPattern(pattern) }

    /// Returns the level and the sharpness at the given time, in microseconds.
    func level(at time: Microseconds) -> Sample {
        guard let piece = piece(at: time) else {
            return Sample(time: time, intensity: 0, sharpness: 0)
        }
        return Self.sample(piece, at: time)
    }

    /// Returns the intensity and the sharpness of the tap that is nearest to the given time; nil if
    /// no tap is within 20 ms.
    func tap(passedAt time: Microseconds) -> (intensity: Double, sharpness: Double)? {
        let near = mixed.taps.filter { abs($0.time - time) <= Self.reach }
        return near.min { abs($0.time - time) < abs($1.time - time) }.map {
            ($0.intensity, $0.sharpness)
        }
    }

    private func piece(at time: Microseconds) -> MixedPiece? {
        var (low, high) = (0, mixed.pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if mixed.pieces[middle].end <= time { low = middle + 1 } else { high = middle }
        }
        guard low < mixed.pieces.count, mixed.pieces[low].start <= time else { return nil }
        return mixed.pieces[low]
    }

    private static func sample(_ piece: MixedPiece, at time: Microseconds) -> Sample {
        Sample(
            time: time, intensity: min(max(piece.level.value(at: time), 0), 1),
            sharpness: min(max(piece.sharpness?.value(at: time) ?? 0, 0), 1))
    }

    /// Returns the points of the level curve that are connected by straight lines. If the curve has
    /// more than `limit` points, returns `limit` equally spaced samples instead.
    func samples(atMost limit: Int) -> [Sample] {
        guard mixed.pieces.count * 2 > limit else {
            return mixed.pieces.flatMap {
                [Self.sample($0, at: $0.start), Self.sample($0, at: $0.end)]
            }
        }
        return (0..<limit).map {
            level(at: (mixed.end - 1) * Microseconds($0) / Microseconds(limit - 1))
        }
    }
}
