// FeltPulse: the pulses that a finger perceives, and the difference between two sequences of
// pulses.

import HapticCompiler
import HapticPatterns
import Prediction

/// A pulse of an acceleration: a peak between valleys that are lower by at least one
/// just-noticeable difference.
public struct FeltPulse: Sendable {
    /// The peak, 0...255 of the rated acceleration.
    public var level: Double
    /// The time at which the acceleration first reaches half of the peak, in microseconds.
    public var onset: Microseconds
    /// The time from the onset until the acceleration last falls below half of the peak, in
    /// microseconds.
    public var length: Microseconds
    /// The depth of the valley before this pulse, in just-noticeable differences of level below the
    /// lower of the two adjacent peaks; infinite for the first pulse.
    public var dip: Double
}

extension FeltAcceleration {
    /// The perceptible pulses, in order of time. Peaks below ``Fidelity/leastFelt`` are omitted.
    public var pulses: [FeltPulse] {
        let levels = samples.map { $0 / rated * 255 }
        var found: [FeltPulse] = []
        for peak in Self.peaks(of: levels) {
            let start = peak.range.lowerBound
            let valley = found.isEmpty ? 0 : levels[start]
            let lower = min(levels[peak.top], found.last?.level ?? .infinity)
            found.append(
                FeltPulse(
                    level: levels[peak.top], onset: Self.rise(of: peak, in: levels),
                    length: Self.fall(of: peak, in: levels) - Self.rise(of: peak, in: levels),
                    dip: found.isEmpty ? .infinity : Fidelity.steps(between: lower, and: valley)))
        }
        return found
    }

    /// A peak and the range from the valley before it to the valley after it, as indexes of
    /// samples.
    private struct Peak {
        var top: Int
        var range: Range<Int>
    }

    /// Returns the perceptible peaks that are separated by perceptible valleys.
    private static func peaks(of levels: [Double]) -> [Peak] {
        var peaks: [Peak] = []
        var (valley, top, bottom) = (0, 0, 0)
        var isRising = true
        for (index, level) in levels.enumerated() {
            if isRising {
                if level > levels[top] { top = index }
                guard isDip(from: levels[top], to: level) else { continue }
                peaks.append(Peak(top: top, range: valley..<index))
                (isRising, bottom) = (false, index)
            } else {
                if level < levels[bottom] { bottom = index }
                guard isDip(from: level, to: levels[bottom]) else { continue }
                peaks[peaks.endIndex - 1].range = valley..<bottom
                (isRising, valley, top) = (true, bottom, index)
            }
        }
        if !isRising, let last = peaks.indices.last { peaks[last].range = valley..<levels.count }
        return peaks
    }

    private static func isDip(from high: Double, to low: Double) -> Bool {
        high >= Fidelity.leastFelt && Fidelity.steps(between: high, and: low) >= 1
    }

    /// Returns the time at which the level first reaches half of a peak.
    private static func rise(of peak: Peak, in levels: [Double]) -> Microseconds {
        let half = levels[peak.top] / 2
        guard let first = peak.range.first(where: { levels[$0] >= half }), first > 0 else {
            return 0
        }
        return crossing(of: half, between: first - 1, and: first, in: levels)
    }

    /// Returns the time at which the level last falls below half of a peak.
    private static func fall(of peak: Peak, in levels: [Double]) -> Microseconds {
        let half = levels[peak.top] / 2
        guard let last = peak.range.last(where: { levels[$0] >= half }), last + 1 < levels.count
        else {
            return Microseconds(peak.range.upperBound) * step
        }
        return crossing(of: half, between: last, and: last + 1, in: levels)
    }

    /// Returns the time at which the straight line between two samples crosses a level.
    private static func crossing(
        of level: Double, between one: Int, and other: Int, in levels: [Double]
    ) -> Microseconds {
        let slope = levels[other] - levels[one]
        let part = slope == 0 ? 0 : min(max((level - levels[one]) / slope, 0), 1)
        return Microseconds(((Double(one) + part) * Double(step)).rounded())
    }
}

/// The difference between two sequences of pulses, in just-noticeable differences.
public struct FeltDifference: Sendable {
    /// The smallest noticeable relative change in a duration: 25 %. The fraction is 16 % for
    /// vibrations of one second (Jones, Poliakoff and Wells 2009) and greater for shorter
    /// durations.
    public static let lengthWeber = 0.25
    /// The smallest noticeable relative change in the time between two onsets: 16 % (Jones,
    /// Poliakoff and Wells 2009). For sounds, the fraction is 6 % (Drake and Botte 1993).
    public static let rhythmWeber = 0.16
    /// The smallest noticeable change in any time: 10 ms, the shortest gap between two clicks that
    /// are felt as separate (Gescheider 1966).
    public static let leastTime = 10_000.0

    /// True if the sequences contain different numbers of pulses. In this case, the other
    /// differences are 0.
    public var isOfCount = false
    /// The maximum difference between the strengths of two corresponding pulses.
    public var strength = 0.0
    /// The maximum difference between the lengths of two corresponding pulses.
    public var length = 0.0
    /// The maximum difference between two corresponding intervals from one onset to the next.
    public var rhythm = 0.0

    /// The maximum of all differences; infinite if the sequences contain different numbers of
    /// pulses.
    public var greatest: Double { isOfCount ? .infinity : max(strength, length, rhythm) }

    /// Compares two sequences pulse by pulse.
    public init(_ one: [FeltPulse], _ other: [FeltPulse]) {
        guard one.count == other.count else {
            isOfCount = true
            return
        }
        for (one, other) in zip(one, other) {
            strength = max(strength, Fidelity.steps(between: one.level, and: other.level))
            length = max(length, Self.steps(one.length, other.length, weber: Self.lengthWeber))
        }
        for (one, other) in zip(Self.intervals(one), Self.intervals(other)) {
            rhythm = max(rhythm, Self.steps(one, other, weber: Self.rhythmWeber))
        }
    }

    private static func intervals(_ pulses: [FeltPulse]) -> [Microseconds] {
        zip(pulses, pulses.dropFirst()).map { $1.onset - $0.onset }
    }

    private static func steps(
        _ one: Microseconds, _ other: Microseconds, weber: Double
    ) -> Double {
        abs(Double(one - other)) / max(weber * Double(min(one, other)), leastTime)
    }
}
