// EngineFigures: figures of the delay until an engine's players drive the actuator. The virtual
// board and each simulated board run in real time on a pseudo-terminal.

import Foundation
import HapticBridge
import HapticPatterns
import SerialPorts
import TestSupport

enum EngineFigures {
    private static let runs = 200

    static func print() throws {
        for count in [1, 20] {
            note("an engine with \(count) players on the virtual board, \(runs) times each")
            try print(players: count, on: .virtual(), "")
        }
        note("an engine with one player, through a process that serves the board")
        let board = try MeasuredBoard.virtual()
        let server = try RunningTool(
            Tool.executable("bridge"), ["serve", "--port", board.port])
        guard wait(seconds: 10, until: { server.output.contains("served") }) else {
            return note("bridge serve: \(server.errors)")
        }
        try print(players: 1, on: board, "", "_served")
        server.signal(SIGTERM)
        _ = server.outcome()
        for simulator in SimulatedBoard.here {
            for count in [1, 20] {
                note("an engine with \(count) players on the simulated \(simulator.name)")
                try print(
                    players: count, on: .simulated(by: simulator),
                    "_\(simulator.name.lowercased())")
            }
        }
        try SixteenEngines.print()
    }

    private static func print(
        players count: Int, on board: MeasuredBoard, _ boardName: String, _ way: String = ""
    ) throws {
        let engine = CHHapticEngine(device: .port(board.port))
        try engine.start()
        defer { stop(engine, of: board) }
        let name = way + (count == 1 ? "" : "_\(count)_players")
        // The other players continue to play at imperceptible levels.
        let others = try (1..<count).map { _ in try engine.makePlayer(with: .held(0.1)) }
        for other in others { try other.start(atTime: CHHapticTimeImmediate) }
        let player = try engine.makeAdvancedPlayer(with: .held(1))
        var starts: [Double] = []
        var changes: [Double] = []
        for run in 0..<runs {
            usleep(UInt32(30_000 + run * 370 % 10_000))
            let started = Link.now()
            try player.start(atTime: CHHapticTimeImmediate)
            // The changes are distributed over all phases of the stream's tick.
            usleep(UInt32(40_000 + run * 37 % 250))
            let changed = Link.now()
            let level = run.isMultiple(of: 2) ? 0.5 : 0.6
            let parameter = CHHapticDynamicParameter(
                parameterID: .hapticIntensityControl, value: Float(level), relativeTime: 0)
            try player.sendParameters([parameter], atTime: CHHapticTimeImmediate)
            usleep(40_000)
            let end = Link.now()
            try player.stop(atTime: CHHapticTimeImmediate)
            starts += board.delay(from: started, to: changed) { $0 > 100 }
            changes += board.delay(from: changed, to: end) { $0 == Int((level * 255).rounded()) }
            try player.sendParameters(
                [
                    CHHapticDynamicParameter(
                        parameterID: .hapticIntensityControl, value: 1, relativeTime: 0)
                ],
                atTime: CHHapticTimeImmediate)
        }
        print("start_latency\(name)_ms", boardName, starts)
        print("parameter_latency\(name)_ms", boardName, changes)
    }

    /// Stops an engine while its board still exists.
    private static func stop(_ engine: CHHapticEngine, of board: MeasuredBoard) {
        engine.stopAndWait()
        withExtendedLifetime(board) {}
    }

    private static func print(_ name: String, _ boardName: String, _ times: [Double]) {
        if times.count < runs {
            note("\(name): \(runs - times.count) of \(runs) changes did not reach the chip")
        }
        guard !times.isEmpty else { return }
        let deviations = Deviations(times)
        for (percentile, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
            printFigure("\(name)_\(percentile)\(boardName)", deviations.percentile(share), "ms")
        }
    }
}

extension CHHapticEngine {
    /// Stops the engine and waits until the board is at rest.
    func stopAndWait() {
        let isStopped = DispatchSemaphore(value: 0)
        stop { _ in isStopped.signal() }
        isStopped.wait()
    }
}

extension CHHapticPattern {
    /// Returns a continuous event that plays until it is stopped.
    fileprivate static func held(_ intensity: Float) throws -> CHHapticPattern {
        let event = CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity)],
            relativeTime: 0)
        return try CHHapticPattern(events: [event], parameters: [])
    }
}
