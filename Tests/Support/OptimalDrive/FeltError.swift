// FeltError: the difference between the felt output and the design, as one number.

/// The difference between a felt trajectory and a design, in steps. A step is a just-noticeable
/// difference of 20 %.
///
/// The error of a level is the number of steps between the level and the range that the design
/// allows within 24 ms. The error of a tap is the number of steps between the highest level in the
/// window of the tap and the range of desired peaks. The total error is a mean over time, in which
/// a tap has the weight of ``tapWeight`` milliseconds of a level. The total error can therefore be
/// calculated as a sum over milliseconds, as ``OptimalDrive`` requires.
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
        func felt(_ index: Int) -> Double {
            steps.indices.contains(index + offset) ? steps[index + offset] : 0
        }
        var levelSum = 0.0
        for index in 0..<design.count {
            let step = felt(index)
            levelSum += max(0, design.lower[index] - step, step - design.upper[index])
        }
        let tapSum = design.taps.reduce(0) { sum, tap in
            let peak = tap.window.lazy.map(felt).max() ?? 0
            return sum + max(0, tap.wanted.lowerBound - peak, peak - tap.wanted.upperBound)
        }
        let designed = Double(design.upper.count { $0 > 0 })
        let count = Double(design.taps.count)
        levels = levelSum / max(designed, 1)
        taps = tapSum / max(count, 1)
        mean = (levelSum + Self.tapWeight * tapSum) / max(designed + Self.tapWeight * count, 1)
    }
}
