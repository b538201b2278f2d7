// PatternDifference: the perceptible differences between two patterns, event by event.

import HapticCompiler
import HapticPatterns
import JSONText

/// The differences between a converted pattern and its original, in just-noticeable differences.
public struct PatternDifference: Sendable {
    /// The differences, one for each event that is not reproduced exactly.
    public private(set) var losses: [FormatLoss] = []
    /// The greatest difference, in just-noticeable differences; infinite if a tap is missing.
    public private(set) var greatest = 0.0

    /// The minimum difference that is reported, in just-noticeable differences. This difference
    /// corresponds to half of the step 1/255.
    private static let least = 0.01
    /// The maximum time difference between matching taps, in microseconds.
    private static let reach = 2 * Fidelity.onsetJND
    /// The maximum number of points in time at which levels are compared.
    private static let momentsMax: Microseconds = 200_000

    /// Compares a converted pattern with its original.
    public init(_ design: HapticPattern, _ other: HapticPattern) {
        let mixed = MixedPattern(design)
        let signal = HapticSignal(other)
        let wanted = HapticSignal(design)
        var levels = (wanted: LevelCursor(wanted), made: LevelCursor(signal))
        compareTaps(mixed.taps.filter { $0.intensity > 0 }, signal.taps, design) {
            levels.made.ranges(at: $0).intensity.upperBound
                > levels.wanted.ranges(at: $0).intensity.upperBound + Self.leastRise
        }
        compareLevels(wanted, signal, mixed, design)
    }

    /// The minimum rise in the level that counts as a tap merged into the level.
    private static let leastRise = Fidelity.leastFelt / 255

    /// The times of the original taps for which there is no matching tap. The level may contain
    /// such a tap, so the level is not compared while the tap is perceived.
    private var merged: [Microseconds] = []

    private mutating func add(_ loss: FormatLoss) {
        greatest = max(greatest, loss.jnd ?? .infinity)
        losses.append(loss)
    }

    // MARK: Taps

    private mutating func compareTaps(
        _ wanted: [VoiceTap], _ made: [HapticSignal.Tap], _ design: HapticPattern,
        isRise: (Microseconds) -> Bool
    ) {
        var rest = made[...]
        for tap in wanted {
            rest = rest.drop { $0.time < tap.time - Self.reach }
            let location = design.events[tap.source].location
            guard let match = rest.first, match.time <= tap.time + Self.reach else {
                merged.append(tap.time)
                let isRise = isRise(tap.time)
                add(
                    FormatLoss(
                        isRise ? .degraded : .notPlayed, event: tap.source, time: tap.time,
                        at: location,
                        isRise
                            ? "the tap is merged into the level, which rises at this time"
                            : "the converted pattern does not contain the tap"))
                continue
            }
            rest = rest.dropFirst()
            compare(tap, match, location)
        }
    }

    private mutating func compare(
        _ tap: VoiceTap, _ made: HapticSignal.Tap, _ location: SourceLocation?
    ) {
        let parts = [
            (
                Fidelity.jnd(level: made.intensity * 255, for: tap.intensity * 255),
                "intensity \(Self.text(made.intensity)) instead of \(Self.text(tap.intensity))"
            ),
            (
                Fidelity.jnd(sharpness: made.sharpness * 255, for: tap.sharpness * 255),
                "sharpness \(Self.text(made.sharpness)) instead of \(Self.text(tap.sharpness))"
            ),
            (
                Double(abs(made.time - tap.time)) / Double(Fidelity.onsetJND),
                "\(Self.text(Double(made.time - tap.time) / 1_000)) ms later"
            ),
        ].filter { $0.0 > Self.least }
        guard let jnd = parts.map(\.0).max() else { return }
        add(
            FormatLoss(
                .degraded, event: tap.source, time: tap.time, jnd: jnd, at: location,
                parts.map(\.1).joined(separator: ", ")))
    }

    private static func text(_ value: Double) -> String {
        "\((value * 1_000).rounded() / 1_000)"
    }

    // MARK: Levels

    /// The greatest difference in one continuous event.
    private struct Worst {
        var jnd = 0.0
        var message = ""
        var time: Microseconds = 0
    }

    private mutating func compareLevels(
        _ wanted: HapticSignal, _ made: HapticSignal, _ mixed: MixedPattern,
        _ design: HapticPattern
    ) {
        var worst: [Worst] = Array(repeating: Worst(), count: mixed.spans.count)
        var stray = Worst()
        var (left, right) = (LevelCursor(wanted), LevelCursor(made))
        var sounding: [Int] = []
        var firstEnd = Microseconds.max
        var taps = merged[...]
        var next = 0
        let end = max(wanted.pieces.last?.end ?? 0, made.pieces.last?.end ?? 0)
        let step = max(1_000, end / Self.momentsMax)
        for time in stride(from: 0, to: end, by: Int(step)) {
            while next < mixed.spans.count, mixed.spans[next].start <= time {
                sounding.append(next)
                firstEnd = min(firstEnd, mixed.spans[next].end)
                next += 1
            }
            if firstEnd <= time {
                sounding.removeAll { mixed.spans[$0].end <= time }
                firstEnd = sounding.lazy.map { mixed.spans[$0].end }.min() ?? .max
            }
            taps = taps.drop { $0 + Fidelity.onsetJND < time }
            if let tap = taps.first, tap <= time + step { continue }
            let (jnd, message) = Self.difference(left.ranges(at: time), right.ranges(at: time))
            guard jnd > Self.least else { continue }
            let found = Worst(jnd: jnd, message: message(), time: time)
            if sounding.isEmpty, jnd > stray.jnd { stray = found }
            for index in sounding where jnd > worst[index].jnd { worst[index] = found }
        }
        for (span, worst) in zip(mixed.spans, worst) where worst.jnd > 0 {
            add(
                FormatLoss(
                    .degraded, event: span.source, time: worst.time, jnd: worst.jnd,
                    at: design.events[span.source].location, worst.message))
        }
        if stray.jnd > 0 {
            add(FormatLoss(.degraded, time: stray.time, jnd: stray.jnd, stray.message))
        }
    }

    /// Returns the difference between the desired and the actual values within 1 ms of a time. If
    /// the ranges of these values overlap, the difference is 0.
    private static func difference(
        _ wanted: LevelCursor.Ranges, _ made: LevelCursor.Ranges
    ) -> (Double, () -> String) {
        let (want, level) = nearest(wanted.intensity, made.intensity)
        let jnd = Fidelity.jnd(level: level * 255, for: want * 255)
        let first = { "intensity \(text(level)) instead of \(text(want))" }
        guard want * 255 >= Fidelity.leastFelt, level * 255 >= Fidelity.leastFelt else {
            return (jnd, first)
        }
        let (tone, sharpness) = nearest(wanted.sharpness, made.sharpness)
        let other = Fidelity.jnd(sharpness: sharpness * 255, for: tone * 255)
        return other > jnd
            ? (other, { "sharpness \(text(sharpness)) instead of \(text(tone))" }) : (jnd, first)
    }

    /// Returns the closest pair of values from two ranges.
    private static func nearest(
        _ wanted: ClosedRange<Double>, _ made: ClosedRange<Double>
    ) -> (Double, Double) {
        if wanted.overlaps(made) { return (wanted.lowerBound, wanted.lowerBound) }
        return wanted.upperBound < made.lowerBound
            ? (wanted.upperBound, made.lowerBound) : (wanted.lowerBound, made.upperBound)
    }
}

/// The values of a signal around a time. The time must not decrease from one call to the next.
private struct LevelCursor {
    struct Ranges {
        var intensity: ClosedRange<Double>
        var sharpness: ClosedRange<Double>
    }

    private var rest: ArraySlice<HapticSignal.Piece>
    /// The maximum distance of the values from the time, in microseconds.
    private static let reach: Microseconds = 1_000

    init(_ signal: HapticSignal) { rest = signal.pieces[...] }

    mutating func ranges(at time: Microseconds) -> Ranges {
        let (start, end) = (time - Self.reach, time + Self.reach)
        rest = rest.drop { $0.end < start }
        var levels: [Double] = []
        var tones: [Double] = []
        var covered = start
        for piece in rest {
            guard piece.start <= end else { break }
            if piece.start > covered { levels.append(0) }
            for moment in [max(piece.start, start), min(piece.end, end)] {
                levels.append(piece.intensity(at: moment))
                tones.append(piece.sharpness(at: moment))
            }
            covered = piece.end
        }
        if covered < end { levels.append(0) }
        return Ranges(
            intensity: (levels.min() ?? 0)...(levels.max() ?? 0),
            sharpness: (tones.min() ?? 0)...(tones.max() ?? 0))
    }
}
