// FeltError: the difference between the felt output and the design, as one number.

/// The difference between a felt trajectory and a design, in steps. A step is a just-noticeable
/// difference of 20 %.
///
/// The error of a level is the number of steps between the level and the range that the design
/// allows within 24 ms. The error of a tap is the number of steps between the highest level in the
/// window of the tap and the range of desired peaks. The total error is a mean over time, in which
/// a tap has the weight of ``tapWeight`` milliseconds of a level. The total error can therefore be
/// calculated as a sum over milliseconds.
public struct FeltError: Sendable {
    /// The mean error of the levels: the sum of the errors in all milliseconds, including
    /// milliseconds without a designed level, divided by the number of milliseconds with a designed
    /// level.
    public let levels: Double
    /// The mean error of the taps; 0 if there are no taps.
    public let taps: Double
    /// The weighted mean error of levels and taps.
    public let mean: Double
    /// The delay of the felt stream relative to the pattern, in milliseconds.
    public let delay: Int

    /// The weight of a tap, expressed as milliseconds of a level.
    public static let tapWeight = 100.0

    /// Compares a trajectory with a design.
    ///
    /// - Parameters:
    ///   - felt: the felt level, 0...1, in every millisecond of a stream. Before and after the
    ///   stream, the level is 0.
    ///   - delay: the delay of the stream relative to the pattern, in milliseconds.
    ///   - design: the design.
    public init(of felt: [Double], delay: Int, against design: FeltDesign) {
        self.init(steps: felt.map(FeltDesign.steps), delay: delay, against: design)
    }

    /// Compares a trajectory with a design at the delay of 0...100 ms that results in the smallest
    /// error. Any delay in this range is permitted, because a constant delay cannot be felt.
    public init(of felt: [Double], against design: FeltDesign) {
        let steps = felt.map(FeltDesign.steps)
        self = (0...FeltDesign.ahead).lazy
            .map { Self(steps: steps, delay: $0, against: design) }
            .min { $0.mean < $1.mean }!
    }

    private init(steps: [Double], delay: Int, against design: FeltDesign) {
        self.delay = delay
        let offset = delay - FeltDesign.ahead
        let sum = design.errors(in: 0..<design.count) {
            steps.indices.contains($0 + offset) ? steps[$0 + offset] : 0
        }
        levels = sum.levels / max(design.levelWeight, 1)
        taps = sum.taps / Double(max(design.taps.count, 1))
        mean = (sum.levels + Self.tapWeight * sum.taps) / max(design.weight, 1)
    }
}

extension FeltDesign {
    /// The number of milliseconds with a designed level.
    fileprivate var levelWeight: Double { Double(upper.count { $0 > 0 }) }

    /// The weight of all levels and taps, in milliseconds of a level.
    public var weight: Double { levelWeight + FeltError.tapWeight * Double(taps.count) }

    /// Returns the sums of the errors of the levels in a range of milliseconds, and of the taps
    /// whose windows overlap the range.
    ///
    /// - Parameter felt: a closure that returns the felt level in a millisecond of the timeline, in
    ///   steps. The closure is also called for milliseconds outside of the range.
    func errors(
        in range: Range<Int>, felt: (Int) -> Double
    ) -> (levels: Double, taps: Double) {
        var sum = (levels: 0.0, taps: 0.0)
        for index in range {
            let step = felt(index)
            sum.levels += max(0, lower[index] - step, step - upper[index])
        }
        let first = taps.partitioningIndex { $0.window.upperBound > range.lowerBound }
        for tap in taps[first...].prefix(while: { $0.window.lowerBound < range.upperBound }) {
            let peak = tap.window.lazy.map(felt).max() ?? 0
            sum.taps += max(0, tap.wanted.lowerBound - peak, peak - tap.wanted.upperBound)
        }
        return sum
    }
}
