// ActuatorReach: the states that an actuator can reach within one millisecond.

import CDRV2605Model
import Prediction

/// The states of an actuator on an equally spaced grid, from rest to the maximum steady state. For
/// each state, this type stores the range of the grid that the actuator can reach within one
/// millisecond with a drive of 0...255.
///
/// The weakest drive and the strongest drive determine the ends of this range. With a suitable
/// drive, the actuator can reach every state in between. The only exception is a motor at rest,
/// which either does not start or jumps to 1 % of its speed. This type ignores the exception,
/// because a speed of 1 % cannot be felt. Positions are in units of the grid.
struct ActuatorReach {
    /// The felt level in each state, in steps.
    let steps: [Float]
    /// The lowest position that the actuator can reach from each state.
    let low: [Double]
    /// The highest position that the actuator can reach from each state.
    let high: [Double]

    private let actuator: ModelledActuator
    private let spacing: Double
    /// The number of rows in the table that ``least(of:into:_:)`` needs. This number is the number
    /// of binary digits in the maximum number of states that can be reached from a single state.
    private let depth: Int
    private let ends: [(low: GridPosition, high: GridPosition)]
    private let inner: [Range<Int>]

    /// The number of states.
    var count: Int { steps.count }

    /// The default number of states in a grid.
    static let fine = 512

    init(of model: actuator_model, count: Int = fine) {
        let actuator = ModelledActuator(model)
        var strongest = actuator
        for _ in 0..<1_000 { strongest.advance(under: 255) }
        let spacing = strongest.state / Double(count - 1)
        let top = Double(count - 1)
        func position(from index: Int, under drive: Int) -> Double {
            var moved = actuator
            moved.state = Double(index) * spacing
            moved.advance(under: drive)
            return min(max(moved.state / spacing, 0), top)
        }
        let low = (0..<count).map { position(from: $0, under: 0) }
        let high = (0..<count).map { max(low[$0], position(from: $0, under: 255)) }
        inner = zip(low, high).map { low, high in
            let first = Int(low.rounded(.up))
            return first..<max(first, Int(high.rounded(.down)) + 1)
        }
        ends = zip(low, high).map { (GridPosition($0, in: count), GridPosition($1, in: count)) }
        let widest = inner.map(\.count).max() ?? 1
        depth = Int.bitWidth - widest.leadingZeroBitCount
        steps = (0..<count).map {
            var moved = actuator
            moved.state = Double($0) * spacing
            return Float(FeltDesign.steps(of: moved.felt))
        }
        (self.actuator, self.spacing, self.low, self.high) = (actuator, spacing, low, high)
    }

    /// A position between two states of the grid.
    struct GridPosition {
        var index: Int
        /// The distance from the first state as a fraction of the distance to the next state,
        /// 0...1.
        var part: Float

        init(_ position: Double, in count: Int) {
            index = min(Int(position), count - 2)
            part = Float(position - Double(index))
        }

        func value(in row: UnsafePointer<Float>) -> Float {
            row[index] + (row[index + 1] - row[index]) * part
        }
    }

    /// Returns an actuator whose state corresponds to the given position.
    func actuator(at position: Double) -> ModelledActuator {
        var moved = actuator
        moved.state = position * spacing
        return moved
    }

    /// Returns the range of positions that the actuator can reach from a position.
    func range(from position: Double) -> ClosedRange<Double> {
        let index = min(Int(position), count - 2)
        let part = position - Double(index)
        let least = low[index] + (low[index + 1] - low[index]) * part
        return least...max(least, high[index] + (high[index + 1] - high[index]) * part)
    }

    /// For each state, finds the minimum value in the range that the actuator can reach from that
    /// state. Values between two states are interpolated linearly, so the minimum occurs at a state
    /// or at an end of the range.
    func least(of row: UnsafePointer<Float>, into result: inout [Float], _ scratch: inout [Float]) {
        let count = count
        scratch.withUnsafeMutableBufferPointer { scratch in
            // Row k of the table contains the minima of 2^k consecutive values.
            for index in 0..<count { scratch[index] = row[index] }
            for level in 1..<max(depth, 1) {
                let (from, to, span) = ((level - 1) * count, level * count, 1 << (level - 1))
                for index in 0..<max(0, count - span) {
                    scratch[to + index] = min(scratch[from + index], scratch[from + index + span])
                }
            }
            for index in 0..<count {
                let end = ends[index]
                var least = min(end.low.value(in: row), end.high.value(in: row))
                let range = inner[index]
                if !range.isEmpty {
                    let level = Int.bitWidth - 1 - range.count.leadingZeroBitCount
                    let line = level * count
                    least = min(
                        least, scratch[line + range.lowerBound],
                        scratch[line + range.upperBound - (1 << level)])
                }
                result[index] = least
            }
        }
    }

    /// Returns temporary memory for ``least(of:into:_:)``.
    func scratch() -> [Float] { [Float](repeating: 0, count: count * max(depth, 1)) }
}
