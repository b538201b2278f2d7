// Figures of the processor load of many simultaneous engines in one process. The board of each
// engine runs in a separate process on this computer.

import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import SerialPorts
import TestSupport

enum SixteenEngines {
    private static let count = 16
    /// The duration of the measurement, in microseconds.
    private static let time: Microseconds = 10_000_000
    /// The interval between two changes of an engine's level.
    private static let interval: Microseconds = 100_000

    static func print() throws {
        note("\(count) engines, each on its own virtual board")
        let boards = try (0..<count).map { _ in
            try BoardProgram(Tool.executable("virtual-board"), [])
        }
        let engines = boards.map { CHHapticEngine(device: .port($0.port)) }
        for engine in engines { try engine.start() }
        let idle = share { usleep(UInt32(time / 4)) }
        printFigure("engines16_idle_cpu_percent", idle, "%", decimals: 1)

        let players = try engines.map { try $0.makeAdvancedPlayer(with: swelling()) }
        for player in players {
            player.loopEnabled = true
            try player.start(atTime: CHHapticTimeImmediate)
        }
        let playing = try share { try change(players) }
        printFigure("engines16_cpu_percent", playing, "%", decimals: 1)
        for engine in engines { engine.stopAndWait() }
        let statuses = try boards.map { try status(of: $0) }
        printFigure(
            "engines16_underruns", statuses.reduce(0) { $0 + Int($1.underruns) }, "underruns")
        for board in boards { _ = board.end() }
        printFigure("engines16_boards_cpu_s", processorTime().ended, "s", decimals: 1)
    }

    /// Returns a pattern of one second whose level changes continuously.
    private static func swelling() throws -> CHHapticPattern {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.8)],
            relativeTime: 0, duration: 1)
        let curve = CHHapticParameterCurve(
            parameterID: .hapticIntensityControl,
            controlPoints: (0...10).map {
                .init(relativeTime: Double($0) / 10, value: $0.isMultiple(of: 2) ? 0.3 : 1)
            }, relativeTime: 0)
        return try CHHapticPattern(events: [event], parameterCurves: [curve])
    }

    /// Changes the players one after the other, each player once per `interval`.
    private static func change(_ players: [any CHHapticAdvancedPatternPlayer]) throws {
        let start = Link.now()
        for turn in 0..<Int(time / interval) * players.count {
            let due = start + Microseconds(turn) * interval / Microseconds(players.count)
            usleep(UInt32(max(0, due - Link.now())))
            let value = Float(turn % 17) / 32 + 0.5
            let parameter = CHHapticDynamicParameter(
                parameterID: .hapticIntensityControl, value: value, relativeTime: 0)
            let player = players[turn % players.count]
            try player.sendParameters([parameter], atTime: CHHapticTimeImmediate)
            // Restarting the player restores the pattern's own curve.
            if turn / players.count % 5 == 4 { try player.start(atTime: CHHapticTimeImmediate) }
        }
    }

    private static func status(of board: BoardProgram) throws -> Status {
        let link = Link(try openPort(board.port))
        defer { link.close() }
        _ = try link.connect()
        return try link.status()
    }

    /// Returns the processor time of this process during `body`, as a percentage of the elapsed
    /// time.
    private static func share(_ body: () throws -> Void) rethrows -> Double {
        let (began, used) = (Link.now(), processorTime().own)
        try body()
        return 100 * (processorTime().own - used) / (Double(Link.now() - began) / 1_000_000)
    }

    /// Returns the sum of user time and system time, in seconds, for this process and for its child
    /// processes that have ended.
    private static func processorTime() -> (own: Double, ended: Double) {
        var time = tms()
        times(&time)
        let second = Double(sysconf(Int32(_SC_CLK_TCK)))
        return (
            Double(time.tms_utime + time.tms_stime) / second,
            Double(time.tms_cutime + time.tms_cstime) / second
        )
    }
}
