// BoardFigures: figures of the boards. The firmware images run on simulated microcontrollers in
// lock-step with the real host session. All times are counted in cycles of the simulated
// microcontroller, so they do not depend on this computer.

import BridgeLink
import Foundation
import HapticCompiler
import SerialPorts
import TestSupport
import VirtualBoard

/// Prints the onset, rate and stack figures of the committed images.
enum BoardFigures {
    static func print() throws {
        for simulator in SimulatedBoard.here { try print(simulator) }
    }

    private static func print(_ simulator: BoardSimulator) throws {
        let board = simulator.figureSuffix
        var worst = BoardLoad()
        for load in LineLoad.allCases {
            note("playing on the simulated \(simulator.name): \(load)")
            let levels = try OnsetRun(load, events: OnsetRun.levels(load), on: simulator)
            levels.print("onset_us_\(load)", board)
            worst.merge(levels.load)
            let ramps = try OnsetRun(load, events: OnsetRun.ramps(load), on: simulator)
            printFigure("ramp_step_us_\(load)_max\(board)", ramps.onsets.max, "us")
            worst.merge(ramps.load)
        }
        worst.merge(try RateFigures.print(simulator))
        printFigure("ram_stack_bytes\(board)", worst.stackBytes, "bytes")
        // Some images do not mark the steps of their loop.
        if worst.step > 0 { printFigure("poll_step_us_max\(board)", worst.step, "us") }
        try printSpeed(simulator)
    }

    /// Prints the speed of a simulator relative to real time, on one core, while a new level is
    /// written every 250 us.
    private static func printSpeed(_ simulator: BoardSimulator) throws {
        let board = try SimulatedBoard(simulator, age: 1_000_000, stride: 1_000)
        let events = [StreamEvent].differingLevels(20_000, ticksApart: 1, seed: 9)
        let (time, wall) = (board.board.now, Link.now())
        try board.play(events, tick: 250, fillsWire: false)
        let speed = Double(board.board.now - time) / Double(Link.now() - wall)
        printFigure("simulation_speed\(simulator.figureSuffix)", speed, "x")
    }
}

extension BoardSimulator {
    /// The suffix of the names of this board's figures; empty for the reference board.
    var figureSuffix: String { line == .usb ? "_rp2040" : "" }
}

/// The resources of the microcontroller that a run uses: the size of the stack and the duration of
/// the longest step.
struct BoardLoad {
    var stackBytes = 0
    /// The longest step of the main loop, in microseconds, including interrupts.
    var step = 0.0

    init() {}

    init(_ board: LockStepBoard) {
        stackBytes = board.stackBytes
        step = board.simulator.microseconds(board.longestStep)
    }

    mutating func merge(_ other: BoardLoad) {
        stackBytes = max(stackBytes, other.stackBytes)
        step = max(step, other.step)
    }
}

/// The traffic on the line in addition to the events themselves, while events are due.
enum LineLoad: String, CaseIterable {
    /// Events at intervals of 5 ms that are in event memory before the start; the host sends only
    /// keep-alive messages.
    case idle
    /// Events at intervals of 1 ms that the board receives while earlier events play.
    case streamed
    /// Events at intervals of 1 ms that the board receives while earlier events play, with queries
    /// that fill the remaining capacity of the line to the board.
    case saturated
    /// Events as in `saturated` that play while the board saves a configuration.
    case saving
}

/// The deviations in a run, in microseconds and in ascending order.
struct Deviations {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    func percentile(_ part: Double) -> Double {
        sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    /// The maximum deviation in either direction.
    var max: Double { sorted.map(abs).max() ?? 0 }
}

/// A run whose events play across the wrap-around of the device's clock, with the times at which
/// their levels reached the bus.
struct OnsetRun {
    /// The deviations of the START cycles from the due times of the events.
    let onsets: Deviations
    /// The deviations of the ends of the STOP conditions from the due times of the events.
    let ends: Deviations
    let load: BoardLoad

    static let count = 5_000
    private static let tick: BoardTime = 250

    init(_ line: LineLoad, events: [StreamEvent], on simulator: BoardSimulator) throws {
        let board = try SimulatedBoard(simulator)
        try board.play(
            events, tick: Self.tick, fillsWire: [.saturated, .saving].contains(line),
            saves: line == .saving)
        let deviations = try board.deviations(of: events, tick: Self.tick)
        onsets = Deviations(deviations.map(\.start))
        ends = Deviations(deviations.map(\.stop))
        load = BoardLoad(board.board)
    }

    func print(_ name: String, _ board: String) {
        printFigure("\(name)_p50\(board)", onsets.percentile(0.5), "us")
        printFigure("\(name)_p99\(board)", onsets.percentile(0.99), "us")
        printFigure("\(name)_max\(board)", onsets.max, "us")
        printFigure("\(name)_end_p50\(board)", ends.percentile(0.5), "us")
    }

    /// Returns the level events for a load. For an idle line, the events repeat the first two
    /// events, so that all of them fit in event memory.
    static func levels(_ load: LineLoad) -> [StreamEvent] {
        guard load == .idle else { return .differingLevels(count, ticksApart: 4, seed: 3) }
        return (0..<count).map { index in
            let level: UInt8 = index % 2 == 0 ? 90 : 200
            return StreamEvent(.level(level), at: Ticks(index * 20))
        }
    }

    /// Returns ramps in which every step of 5 ms changes the level. For a busy line, the ramps
    /// include additional events that cause no writes.
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

/// Figures of the maximum rate of level events, from the line to the bus.
enum RateFigures {
    /// The maximum permitted lateness of an event, in microseconds.
    private static let lateness = 100.0
    private static let seconds = 5
    /// The interval between events in ticks. A tick lasts at most 255 us (SPEC 4.4, START).
    private static let ticksPerEvent = 4

    static func print(_ simulator: BoardSimulator) throws -> BoardLoad {
        var load = BoardLoad()
        var best = 0
        for period in [
            1_000, 800, 600, 500, 440, 400, 360, 320, 280, 240, 220, 200, 180, 160, 140, 120, 100,
            96, 92, 88, 84, 80, 76, 72,
        ] {
            let count = seconds * 1_000_000 / period
            let board = try SimulatedBoard(simulator)
            let isGood = try isSustained(board, period: BoardTime(period), count: count)
            load.merge(BoardLoad(board.board))
            guard isGood else { break }
            best = 1_000_000 / period
        }
        printFigure("events_per_second_max\(simulator.figureSuffix)", best, "events/s")
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
        note(
            "  \(1_000_000 / period) events/s: \(deviations.count) played, at most \(Int(worst)) us late"
        )
        return deviations.count == count && worst <= lateness
    }
}

extension [StreamEvent] {
    /// Returns random levels from 1 to 255. Each level differs from the previous level, so that the
    /// board writes every level.
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
