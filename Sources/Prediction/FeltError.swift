// FeltError: the difference between what is felt and what was designed, as one number.

/// The difference between a felt trajectory and a design, in steps of 20 %.
///
/// A level is wrong by the steps between it and the range of the design within 24 ms, and a tap by
/// the steps between the greatest level of its window and the wanted ones. The whole is a mean over
/// time in which a tap counts as much as ``tapWeight`` of a level, so it is a sum of milliseconds,
/// as ``OptimalDrive`` needs it.
public struct FeltError: Sendable {
    /// The mean of the levels. What is felt where nothing is designed is part of the sum, while
    /// only milliseconds in which something is designed count.
    public let levels: Double
    /// The mean of the taps; 0 without taps.
    public let taps: Double
    /// The mean of levels and taps.
    public let mean: Double
    /// The milliseconds by which the felt stream is later than the pattern.
    public let delay: Int

    /// The milliseconds of a level that count as much as one tap.
    public static let tapWeight = 100.0

    /// Compares a trajectory with a design.
    ///
    /// - Parameters:
    ///   - felt: the felt level, 0...1, at every millisecond of a stream; 0 before and after it.
    ///   - delay: the milliseconds by which the stream is later than the pattern.
    ///   - design: the design.
    public init(of felt: [Double], delay: Int, against design: FeltDesign) {
        self.init(steps: felt.map(FeltDesign.steps), delay: delay, against: design)
    }

    /// Compares a trajectory with a design at the delay, of 0...100 ms, at which it is best: a
    /// constant delay is not felt.
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
