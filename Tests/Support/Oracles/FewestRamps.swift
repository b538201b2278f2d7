// FewestRamps: the minimum number of ramps and jumps that reproduce a pattern's level. Tests
// compare the result of the curve fitter with this number.

import HapticCompiler
import HapticPatterns

/// The fewest ramps and jumps that reproduce a pattern's level, found by dynamic programming over
/// milliseconds and integer values.
///
/// A ramp may start and end at any millisecond and at any value within the tolerance, and must stay
/// within the tolerance at every millisecond in between. Next to a jump, every value is allowed.
/// During silence, the level must be exactly 0.
public struct FewestRamps {
    /// The minimum number of changes.
    public let count: Int

    /// The compiler's tolerance. The rounding of the device increases this tolerance to 2 of 255.
    private static let tolerance = 1.5
    /// The maximum length of a single ramp, in milliseconds.
    private static let longest = 6_000

    private let tubes: [ClosedRange<Double>?]
    private var best: [[Int: Int]]

    public init(_ pattern: HapticPattern) {
        let exact = NaiveEvaluator(pattern)
        tubes = exact.instants.indices.map { index in
            guard !exact.nearJump[index] else { return nil }
            let instants = exact.instants
            let others = [max(index - 1, 0), min(index + 1, instants.count - 1)]
            guard others.allSatisfy({ instants[$0].source == instants[index].source }) else {
                return nil
            }
            let level = instants[index].level * 255
            guard level > 0 else { return 0...0 }
            return max(level - Self.tolerance, 0)...min(level + Self.tolerance, 255)
        }
        best = Array(repeating: [:], count: tubes.count)
        count = Self.search(tubes, &best)
    }

    private static func search(
        _ tubes: [ClosedRange<Double>?], _ best: inout [[Int: Int]]
    ) -> Int {
        let free = tubes.indices.filter { tubes[$0] != nil }
        guard let first = free.first, let last = free.last else { return 0 }
        for value in values(in: tubes[first]!) { best[first][value] = value == 0 ? 0 : 1 }
        for (place, index) in free.enumerated() {
            let next = place + 1 < free.count ? free[place + 1] : nil
            for (value, cost) in best[index] {
                if let next {
                    for other in values(in: tubes[next]!) {
                        improve(&best[next], other, cost + (other == value ? 0 : 1))
                    }
                }
                ramp(from: index, value, cost, tubes, &best)
            }
        }
        return best[last].values.min() ?? 0
    }

    private static func ramp(
        from index: Int, _ value: Int, _ cost: Int, _ tubes: [ClosedRange<Double>?],
        _ best: inout [[Int: Int]]
    ) {
        var slopes = -Double.infinity...Double.infinity
        for end in (index + 1)..<max(min(index + longest, tubes.count), index + 1) {
            guard let tube = tubes[end] else { continue }
            let length = Double(end - index)
            let low = max(slopes.lowerBound, (tube.lowerBound - Double(value)) / length)
            let high = min(slopes.upperBound, (tube.upperBound - Double(value)) / length)
            guard low <= high else { return }
            slopes = low...high
            let least = Int((Double(value) + low * length - 1e-9).rounded(.up))
            let most = Int((Double(value) + high * length + 1e-9).rounded(.down))
            guard least <= most else { continue }
            for other in least...most {
                improve(&best[end], other, cost + (other == value ? 0 : 1))
            }
        }
    }

    private static func values(in tube: ClosedRange<Double>) -> ClosedRange<Int> {
        let low = Int(tube.lowerBound.rounded(.up))
        return low...max(low, Int(tube.upperBound.rounded(.down)))
    }

    private static func improve(_ costs: inout [Int: Int], _ value: Int, _ cost: Int) {
        if cost < costs[value] ?? .max { costs[value] = cost }
    }

    /// Returns the number of ramps and jumps of the level in a stream.
    public static func changes(in events: [StreamEvent]) -> Int {
        var level: UInt8 = 0
        var count = 0
        for event in events {
            switch event.content {
            case .level(let value), .levelSharpness(let value, _):
                if value != level { count += 1 }
                level = value
            case .levelRamp(let value, _):
                count += 1
                level = value
            default: break
            }
        }
        return count
    }
}
