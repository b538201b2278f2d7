// ComparedSamples: the times at which a predicted acceleration is compared with its design.

import HapticCompiler
import HapticPatterns
import Prediction

/// The samples of a pattern. A sample is one millisecond, or an interval in which neither the
/// prediction nor the design changes. Therefore, the number of samples does not depend on the
/// length of the pattern.
struct ComparedSamples {
    /// The felt level of each sample; 1 is full level.
    let felt: [Double]
    /// The first millisecond of each sample.
    private let starts: [Int]
    /// The length of the compared part of the prediction, in milliseconds.
    private let count: Int

    private static let step = FeltAcceleration.step

    /// Creates the samples of a prediction.
    ///
    /// - Parameters:
    ///   - lead: the time in the prediction at which the design begins, in microseconds.
    ///   - full: the acceleration that corresponds to full level, in g.
    ///   - tapWindow: the time after each tap in which every millisecond is a sample, in
    ///     microseconds.
    init(
        _ prediction: FeltAcceleration, after lead: Microseconds, full: Double,
        against mixed: MixedPattern, tapWindow: Microseconds
    ) {
        let first = Int(lead / Self.step)
        count = max(0, prediction.samples.count - first)
        let felt = prediction.samples.changes.map { change in
            let start = Microseconds(change.lowerBound - first) * Self.step
            return start..<(start + Microseconds(change.count) * Self.step)
        }
        let taps = mixed.taps.map { $0.time..<($0.time + tapWindow) }
        let spans = mixed.spans.flatMap { [$0.start..<$0.start + 1, $0.end..<$0.end + 1] }
        // Samples near a change are compared with the levels before and after the change.
        let margin = Fidelity.onsetJND + 2 * Self.step
        var starts: [Int] = []
        var next = 0
        for change in (felt + taps + spans + mixed.changes).joined(extendedBy: margin) {
            let range = Self.milliseconds(of: change, count)
            if range.lowerBound > next { starts.append(next) }
            let end = max(next, range.upperBound)
            starts += max(next, range.lowerBound)..<end
            next = end
        }
        if next < count { starts.append(next) }
        self.starts = starts
        self.felt = prediction.samples.values(at: starts.map { $0 + first }).map { $0 / full }
    }

    /// Returns the milliseconds of a window within a pattern of `count` milliseconds.
    private static func milliseconds(of window: Range<Microseconds>, _ count: Int) -> Range<Int> {
        let first = min(count, Int(max(0, window.lowerBound) / step))
        return first..<max(first, min(count, Int((window.upperBound + step - 1) / step)))
    }

    /// Returns the samples in a window.
    func range(of window: Range<Microseconds>) -> Range<Int> {
        let range = Self.milliseconds(of: window, count)
        guard let last = range.last else { return 0..<0 }
        return starts.lastIndex(atMost: range.lowerBound)..<(starts.lastIndex(atMost: last) + 1)
    }

    /// Returns the maximum designed level of each sample, without taps.
    func levels(of mixed: MixedPattern) -> [Double] {
        var levels = [Double](repeating: 0, count: felt.count)
        for piece in mixed.pieces where piece.sharpness != nil {
            for index in range(of: piece.start..<piece.end) {
                let time = Microseconds(starts[index]) * Self.step
                let start = max(piece.start, time)
                let end = min(piece.end, time + Self.step)
                let level = max(piece.level.value(at: start), piece.level.value(at: end))
                levels[index] = max(levels[index], level)
            }
        }
        return levels
    }

    /// Returns the difference in JND between each sample and the nearest of the levels that the
    /// design has within ``Fidelity/onsetJND`` of the sample. Levels at other times are included,
    /// because an unnoticeable delay is not a deviation.
    func errors(_ levels: [Double], _ taps: [VoiceTap]) -> [Double] {
        var tapped = levels
        for tap in taps {
            let length = DeviceProfile.reference.tapLength(sharpness: tap.sharpness)
            for index in range(of: tap.time..<(tap.time + length)) {
                tapped[index] = max(tapped[index], tap.intensity)
            }
        }
        let reach = Int(Fidelity.onsetJND / Self.step)
        let (least, greatest) = (
            levels.windowed(reach, by: min), tapped.windowed(reach, by: max)
        )
        return felt.indices.map { index in
            let nearest = min(max(felt[index], least[index]), greatest[index])
            return Fidelity.steps(between: felt[index] * 255, and: nearest * 255)
        }
    }

    /// Returns the mean of the values over each window; 0 for an empty window. The values, one for
    /// each sample, must be at least 0.
    func means(of values: [Double], over windows: [Range<Microseconds>]) -> [Double] {
        // Prefix sums are used, because thousands of windows may overlap.
        var sums = [0.0]
        for (value, (start, end)) in zip(values, zip(starts, starts.dropFirst() + [count])) {
            var sum = sums.last!
            // The value is added once for each millisecond, so that even the last digits of the sum
            // do not depend on the division into samples.
            for _ in start..<(value > 0 ? end : start) { sum += value }
            sums.append(sum)
        }
        return windows.map { window in
            let range = range(of: window)
            let length = Self.milliseconds(of: window, count).count
            return (sums[range.upperBound] - sums[range.lowerBound]) / Double(max(1, length))
        }
    }
}

/// Finds the maximum of a range of values without reading all of them.
struct GreatestValues {
    private let count: Int
    /// A binary tree in an array: the values begin at index `count`, and each earlier element is
    /// the maximum of its two children.
    private var tree: [Double]

    init(_ values: [Double]) {
        count = values.count
        tree = Array(repeating: 0, count: count) + values
        for node in stride(from: count - 1, to: 0, by: -1) {
            tree[node] = max(tree[2 * node], tree[2 * node + 1])
        }
    }

    /// Returns the maximum of a range of values that are at least 0; 0 for an empty range.
    func greatest(in range: Range<Int>) -> Double {
        var (lower, upper) = (count + range.lowerBound, count + range.upperBound)
        var greatest = 0.0
        while lower < upper {
            if !lower.isMultiple(of: 2) {
                greatest = max(greatest, tree[lower])
                lower += 1
            }
            if !upper.isMultiple(of: 2) {
                upper -= 1
                greatest = max(greatest, tree[upper])
            }
            (lower, upper) = (lower / 2, upper / 2)
        }
        return greatest
    }
}
