// CostToGo: the minimum remaining error for each state and each time.

import BridgeLink
import Prediction

/// The minimum sum of errors until the end of a design, in steps times milliseconds, for each
/// millisecond, each state and each phase of a tap. The sum is calculated by dynamic programming,
/// backwards in time.
struct CostToGo {
    /// A millisecond of the design.
    private struct Moment {
        /// The index of the first row of the millisecond. A millisecond within the window of a tap
        /// has one row for each phase; any other millisecond has a single row.
        var row: Int
        /// The index of the tap whose window contains the millisecond; nil if the millisecond is in
        /// no window.
        var tap: Int?
        /// True if the millisecond is the last millisecond in the window of the tap.
        var isLast = false
    }

    let reach: ActuatorReach
    private let design: FeltDesign
    private let phases: [TapPhases]
    private let wanted: [ClosedRange<Float>]
    private var moments: [Moment] = []
    private var values: [Float] = []

    private static let tapWeight = Float(FeltError.tapWeight)

    init(of design: FeltDesign, in reach: ActuatorReach) {
        (self.design, self.reach) = (design, reach)
        wanted = design.taps.map {
            Float($0.wanted.lowerBound)...Float($0.wanted.upperBound)
        }
        let greatest = reach.steps.last ?? 0
        phases = wanted.map { TapPhases(wanted: $0.upperBound, greatest: greatest) }
        moments = Self.moments(of: design, phases)
        let rows = moments.last.map { $0.row + ($0.tap.map { phases[$0].count } ?? 1) } ?? 0
        // The last row represents the time after the design.
        values = [Float](repeating: 0, count: (rows + 1) * reach.count)
        moments.append(Moment(row: rows))
        fill()
    }

    private static func moments(of design: FeltDesign, _ phases: [TapPhases]) -> [Moment] {
        var (tap, row) = (0, 0)
        return (0..<design.count).map { time in
            while tap < design.taps.count, design.taps[tap].window.upperBound <= time { tap += 1 }
            var moment = Moment(row: row)
            if tap < design.taps.count, design.taps[tap].window.contains(time) {
                moment.tap = tap
                moment.isLast = time + 1 == design.taps[tap].window.upperBound
            }
            row += moment.tap.map { phases[$0].count } ?? 1
            return moment
        }
    }
}

/// The function that fills the table.
extension CostToGo {
    private mutating func fill() {
        let count = reach.count
        var scratch = reach.scratch()
        var next = [[Float]](
            repeating: [Float](repeating: 0, count: count),
            count: (phases.map(\.count).max() ?? 0) + 1)
        for time in (0..<design.count).reversed() {
            let (moment, later) = (moments[time], moments[time + 1])
            // After the window of a tap, all phases continue with the same row.
            let isSplit = moment.tap != nil && !moment.isLast
            for phase in 0..<(isSplit ? phases[moment.tap!].count : 1) {
                values.withUnsafeBufferPointer {
                    let row = $0.baseAddress! + (later.row + phase) * count
                    reach.least(of: row, into: &next[phase], &scratch)
                }
            }
            if let tap = moment.tap {
                if moment.isLast { end(tap, &next) }
                fill(time, moment.row, tap, next)
            } else {
                for index in 0..<count {
                    values[moment.row * count + index] = error(time, index) + next[0][index]
                }
            }
        }
    }

    private func error(_ time: Int, _ index: Int) -> Float {
        let step = reach.steps[index]
        return max(0, Float(design.lower[time]) - step, step - Float(design.upper[time]))
    }

    /// Adds the error of a tap's peak to the cost of each phase.
    private func end(_ tap: Int, _ next: inout [[Float]]) {
        for (phase, excess) in phases[tap].excesses.enumerated().reversed() {
            for index in 0..<reach.count {
                next[TapPhases.done + phase][index] = next[0][index] + excess * Self.tapWeight
            }
        }
        for index in 0..<reach.count { next[TapPhases.open][index] = .infinity }
    }

    private mutating func fill(_ time: Int, _ row: Int, _ tap: Int, _ next: [[Float]]) {
        let (count, phases, wanted) = (reach.count, phases[tap], wanted[tap])
        for index in 0..<count {
            let error = error(time, index)
            let step = reach.steps[index] - wanted.upperBound
            let cell = row * count + index
            var excess: Float = 0
            if step > 0 {
                let (phase, part) = phases.phase(of: step)
                excess = next[phase][index]
                if part > 0 { excess += (next[phase + 1][index] - excess) * part }
                values[cell] = error + excess
            } else {
                let missing = max(0, wanted.lowerBound - reach.steps[index]) * Self.tapWeight
                values[cell] =
                    error + min(next[TapPhases.open][index], next[TapPhases.done][index] + missing)
            }
            for phase in TapPhases.done..<phases.count {
                let isGreater = step > phases.excesses[phase - TapPhases.done]
                values[cell + phase * count] =
                    error + (isGreater ? excess : next[phase][index])
            }
        }
    }
}

/// Functions that use the table in the order of time.
extension CostToGo {
    /// The history of the tap whose window contains the current millisecond.
    private enum Past {
        case open
        case counted(excess: Float)
    }

    /// Returns the position at every millisecond if the actuator starts at rest and is driven
    /// optimally.
    func bestPositions() -> [Double] {
        var position = 0.0
        var past = Past.open
        var positions: [Double] = []
        for time in 0..<design.count {
            positions.append(position)
            let moment = moments[time]
            let step = Float(FeltDesign.steps(of: reach.actuator(at: position).felt))
            let row = moments[time + 1].row
            guard let tap = moment.tap, !moment.isLast else {
                position = best(from: position, [(row, 1)]).position
                past = .open
                continue
            }
            let excess = step - wanted[tap].upperBound
            let missing = max(0, wanted[tap].lowerBound - step)
            switch past {
            case .open where excess <= 0:
                let open = best(from: position, [(row + TapPhases.open, 1)])
                let done = best(from: position, [(row + TapPhases.done, 1)])
                let isDone = done.cost + missing * Self.tapWeight < open.cost
                position = isDone ? done.position : open.position
                if isDone { past = .counted(excess: 0) }
                continue
            case .open: past = .counted(excess: excess)
            case .counted(let other): past = .counted(excess: max(excess, other))
            }
            guard case .counted(let peak) = past else { continue }
            let (phase, part) = phases[tap].phase(of: peak)
            var rows = [(row: row + phase, weight: 1 - part)]
            if part > 0 { rows.append((row + phase + 1, part)) }
            position = best(from: position, rows).position
        }
        return positions
    }

    /// Returns the reachable position with the minimum cost, and this cost. If the cost of staying
    /// at the current position is equally low, returns the current position.
    private func best(
        from position: Double, _ rows: [(row: Int, weight: Float)]
    ) -> (position: Double, cost: Float) {
        let range = reach.range(from: position)
        let (first, last) = (range.lowerBound.rounded(.up), range.upperBound.rounded(.down))
        let inner = first <= last ? Array(stride(from: first, through: last, by: 1)) : []
        var best = (position: range.lowerBound, cost: Float.infinity)
        for candidate in [min(max(position, range.lowerBound), range.upperBound)]
            + [range.lowerBound, range.upperBound] + inner
        {
            let gridPosition = ActuatorReach.GridPosition(candidate, in: reach.count)
            let cost = rows.reduce(Float(0)) { sum, entry in
                sum + entry.weight
                    * values.withUnsafeBufferPointer {
                        gridPosition.value(in: $0.baseAddress! + entry.row * reach.count)
                    }
            }
            if cost < best.cost { best = (candidate, cost) }
        }
        return best
    }
}
