// Figures of the reference board: its firmware image on the simulated ATmega328P, in lock-step with
// the real host session. All times are cycles of the simulated chip, none is of this machine.

import BridgeLink
import Foundation
import HapticCompiler
import TestSupport
import VirtualBoard

/// Prints onset, rate and stack figures of the image that ships.
enum BoardFigures {
    static func print() throws {
        guard SimulatedBoard.isHere() else { return }
        var worst = BoardLoad()
        for load in LineLoad.allCases {
            note("playing on the simulated ATmega328P: \(load)")
            let levels = try OnsetRun(load, events: OnsetRun.levels(load))
            levels.onsets.print("onset_us_\(load)", ends: levels.ends)
            worst.take(levels.load)
            let ramps = try OnsetRun(load, events: OnsetRun.ramps(load))
            printFigure("ramp_step_us_\(load)_max", ramps.onsets.max, "us")
            worst.take(ramps.load)
        }
        worst.take(try RateFigures.print())
        printFigure("ram_stack_bytes", worst.stackBytes, "bytes")
        printFigure("poll_step_us_max", worst.step, "us")
    }
}

/// What a run has asked of the chip.
struct BoardLoad {
    var stackBytes = 0
    /// Longest step of the main loop's work, in microseconds, interrupts included.
    var step = 0.0

    init() {}

    init(_ board: LockStepBoard) {
        stackBytes = board.stackBytes
        step = Double(board.longestStep) / Double(CycleTrace.cyclesPerMicrosecond)
    }

    mutating func take(_ other: BoardLoad) {
        stackBytes = max(stackBytes, other.stackBytes)
        step = max(step, other.step)
    }
}

/// What else is on the wire while events are due.
enum LineLoad: String, CaseIterable {
    /// Events 5 ms apart, in event memory before they start; keep-alives only.
    case idle
    /// Events 1 ms apart that arrive while others play.
    case streamed
    /// The same, and the wire towards the board filled up with queries.
    case saturated
}

/// Deviations in microseconds.
struct Deviations {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    func percentile(_ part: Double) -> Double {
        sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    /// The largest, whichever way.
    var max: Double { sorted.map(abs).max() ?? 0 }

    func print(_ name: String, ends: Deviations) {
        printFigure("\(name)_p50", percentile(0.5), "us")
        printFigure("\(name)_p99", percentile(0.99), "us")
        printFigure("\(name)_max", max, "us")
        printFigure("\(name)_end_p50", ends.percentile(0.5), "us")
    }
}

/// Events played across the wrap of the device's clock, and when their levels reached the bus.
struct OnsetRun {
    /// From due to the cycle that asked for START.
    let onsets: Deviations
    /// From due to the end of STOP.
    let ends: Deviations
    let load: BoardLoad

    static let count = 5_000
    private static let tick: BoardTime = 250

    init(_ line: LineLoad, events: [StreamEvent]) throws {
        let board = try SimulatedBoard()
        try board.play(events, tick: Self.tick, fillsWire: line == .saturated)
        let deviations = try board.deviations(of: events, tick: Self.tick)
        onsets = Deviations(deviations.map(\.start))
        ends = Deviations(deviations.map(\.stop))
        load = BoardLoad(board.board)
    }

    /// Levels, in idle copied from the first two, to lie in event memory as a whole.
    static func levels(_ load: LineLoad) -> [StreamEvent] {
        guard load == .idle else { return .differingLevels(count, ticksApart: 4, seed: 3) }
        return (0..<count).map { index in
            StreamEvent(.level(index % 2 == 0 ? 90 : 200), at: Ticks(index * 20))
        }
    }

    /// Ramps whose every step of 5 ms is another level; among them what writes nothing.
    static func ramps(_ load: LineLoad) -> [StreamEvent] {
        var events: [StreamEvent] = []
        for ramp in 0..<100 {
            let start = ramp * 1_000
            events.append(
                StreamEvent(
                    .levelRamp(to: ramp % 2 == 0 ? 250 : 0, duration: 1_000), at: Ticks(start)))
            guard load != .idle else { continue }
            for other in stride(from: 4, to: 1_000, by: 4) {
                let sharpness = UInt8((start + other) * 7 % 251)
                events.append(
                    StreamEvent(
                        .sharpnessRamp(to: sharpness, duration: 3), at: Ticks(start + other)))
            }
        }
        return events
    }
}

/// The highest rate of level events, from the wire to the bus.
enum RateFigures {
    /// None may be later than this, in microseconds.
    private static let lateness = 100.0
    private static let seconds = 5
    /// A tick is 255 us at most (SPEC 4.4, START).
    private static let ticksPerEvent = 4

    static func print() throws -> BoardLoad {
        var load = BoardLoad()
        var best = 0
        for period in [
            1_000, 800, 600, 500, 440, 400, 360, 320, 280, 240, 220, 200, 180, 160, 140, 120,
        ] {
            let count = seconds * 1_000_000 / period
            let board = try SimulatedBoard()
            let isGood = try isSustained(board, period: BoardTime(period), count: count)
            load.take(BoardLoad(board.board))
            guard isGood else { break }
            best = 1_000_000 / period
        }
        printFigure("events_per_second_max", best, "events/s")
        return load
    }

    private static func isSustained(_ board: SimulatedBoard, period: BoardTime, count: Int) throws
        -> Bool
    {
        let events = [StreamEvent].differingLevels(count, ticksApart: ticksPerEvent, seed: 5)
        let tick = period / BoardTime(ticksPerEvent)
        do {
            try board.play(events, tick: tick, fillsWire: false)
        } catch {
            note("  \(1_000_000 / period) events/s: \(error)")
            return false
        }
        let deviations = (try? board.deviations(of: events, tick: tick)) ?? []
        let worst = deviations.map { abs($0.start) }.max() ?? .infinity
        note("  \(1_000_000 / period) events/s: \(deviations.count) played, worst \(Int(worst)) us")
        return deviations.count == count && worst <= lateness
    }
}

extension [StreamEvent] {
    /// Random levels from 1 on, each another than the one before, so that each is written.
    static func differingLevels(_ count: Int, ticksApart: Int, seed: UInt64) -> Self {
        var generator = SeededGenerator(seed: seed)
        var level: UInt8 = 0
        return (0..<count).map { index in
            let other = UInt8.random(in: 1...254, using: &generator)
            level = other < level || level == 0 ? other : other + 1
            return StreamEvent(.level(level), at: Ticks(index * ticksApart))
        }
    }
}
