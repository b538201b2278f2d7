// FeltDesign: the design of a pattern, for comparison with the felt acceleration.

import HapticCompiler
import HapticPatterns

/// The design of a pattern for every millisecond: the range of correct levels, and the peaks of the
/// taps.
///
/// Levels are measured in steps (``steps(of:)``). A tap raises the upper bound for 20 to 30 ms,
/// depending on its sharpness. A tap does not raise the lower bound, because between taps the
/// actuator may be at rest. Before a tap that cannot be felt over a level, the level may be
/// interrupted for 15 ms. The timeline starts ``ahead`` milliseconds before the pattern, because
/// the drive may begin early. The timeline ends ``beyond`` milliseconds after the pattern, because
/// the actuator may still be moving.
public struct FeltDesign: Sendable {
    /// A tap, or several taps that begin in the same millisecond.
    public struct Tap: Sendable {
        /// The milliseconds in which the peak of the tap may occur. The window ends halfway to the
        /// next event, for which the actuator rises in the other half, or after at most 100 ms.
        public var window: Range<Int>
        /// The range of correct peaks, in steps. The range extends from the level at the time of
        /// the tap to the highest level in the window. A bound that is lower than the intensity of
        /// the tap is raised to this intensity.
        public var wanted: ClosedRange<Double>
    }

    /// The minimum correct level of each millisecond, in steps.
    public let lower: [Double]
    /// The maximum correct level of each millisecond, in steps.
    public let upper: [Double]
    /// The taps in order of time. The windows of taps do not overlap.
    public private(set) var taps: [Tap]

    /// The number of milliseconds on the timeline.
    public var count: Int { lower.count }

    /// The length of the timeline before the pattern, in milliseconds.
    public static let ahead = 100
    /// The length of the timeline after the pattern, in milliseconds.
    public static let beyond = 200
    /// The maximum time, in milliseconds, by which a level may be early or late.
    private static let tolerance = Int(Fidelity.onsetJND / 1_000)
    /// The time, in milliseconds, for which a tap with sharpness 1 may be felt.
    private static let sharp = 20
    /// The time, in milliseconds, for which a tap with sharpness 0 may be felt. This time is longer
    /// than ``sharp``, because a dull tap is longer than a sharp tap.
    private static let dull = 30
    /// The maximum time, in milliseconds, for which a level may be interrupted before a tap that
    /// cannot be felt over the level.
    private static let interruption = 15
    /// The maximum time, in milliseconds, by which an interruption may be early or late.
    private static let interruptionTolerance = 5
    /// The maximum length of the window of a tap, in milliseconds.
    private static let longestWindow = 100
}

extension FeltDesign {
    /// Creates the design of a pattern, or of its beginning up to a given time.
    public init(
        _ pattern: HapticPattern, options: CompilerOptions = CompilerOptions(),
        until limit: Microseconds = .max
    ) {
        let mixed = MixedPattern(pattern, options: options)
        let last = Self.ahead + Int(min(mixed.end, limit) / 1_000)
        let levels = Self.levels(of: mixed, count: last + Self.beyond)
        let felt = mixed.taps.filter { $0.time < limit && Self.steps(of: $0.intensity) > 0 }
        taps = Self.taps(felt, mixed.spans, over: levels)
        var greatest = levels
        for tap in felt {
            let start = Self.index(of: tap.time)
            let length = Double(Self.sharp - Self.dull) * tap.sharpness + Double(Self.dull)
            for index in start..<start + Int(length.rounded()) {
                greatest[index] = max(greatest[index], Self.steps(of: tap.intensity))
            }
        }
        var least = levels.windowed(Self.tolerance, by: min)
        for tap in felt {
            let time = Self.index(of: tap.time)
            guard Self.steps(of: tap.intensity) - levels[time] <= 1 else { continue }
            let start = time - Self.interruption - Self.interruptionTolerance
            for index in start..<time + Self.interruptionTolerance { least[index] = 0 }
        }
        lower = least
        upper = greatest.windowed(Self.tolerance, by: max)
    }

    /// Returns the number of just-noticeable differences between the perception threshold and a
    /// level of 0...1, or 0 if the level is below the threshold.
    public static func steps(of level: Double) -> Double {
        Fidelity.steps(between: level * 255, and: 0)
    }

    /// Returns the design in which the peak of a tap may be late by at most a time in milliseconds.
    func withPeaks(late: Int) -> FeltDesign {
        var design = self
        for (index, tap) in taps.enumerated() {
            let end = min(tap.window.upperBound, tap.window.lowerBound + late + 1)
            design.taps[index].window = tap.window.lowerBound..<end
        }
        return design
    }

    private static func index(of time: Microseconds) -> Int { ahead + Int(time / 1_000) }

    /// Returns the level at each millisecond without the taps, in steps.
    private static func levels(of mixed: MixedPattern, count: Int) -> [Double] {
        var levels = [Double](repeating: 0, count: count)
        for piece in mixed.pieces where piece.sharpness != nil {
            let end = min(index(of: piece.end + 999), count)
            for index in index(of: piece.start + 999)..<max(index(of: piece.start + 999), end) {
                let time = Microseconds(index - ahead) * 1_000
                levels[index] = steps(of: piece.level.value(at: time))
            }
        }
        return levels
    }

    private static func taps(
        _ taps: [VoiceTap], _ spans: [EventSpan], over levels: [Double]
    ) -> [Tap] {
        let starts = Set((taps.map(\.time) + spans.map(\.start)).map(index)).sorted()
        var next = 0
        var result: [Tap] = []
        for tap in taps {
            let start = index(of: tap.time)
            if let last = result.last, last.window.lowerBound == start {
                result[result.count - 1].wanted = last.wanted.raised(to: steps(of: tap.intensity))
                continue
            }
            while next < starts.count, starts[next] <= start { next += 1 }
            let limit = min(start + longestWindow, levels.count)
            let half = next < starts.count ? (start + starts[next] + 1) / 2 : limit
            let window = start..<min(half, limit)
            let wanted = levels[start]...(levels[window].max() ?? levels[start])
            result.append(Tap(window: window, wanted: wanted.raised(to: steps(of: tap.intensity))))
        }
        return result
    }
}

extension ClosedRange<Double> {
    /// Returns the range with each bound raised to the given value if the bound is lower.
    fileprivate func raised(to least: Double) -> Self {
        Swift.max(lowerBound, least)...Swift.max(upperBound, least)
    }
}
