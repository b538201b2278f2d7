// Figures of a board that several programs share: the effect of a program with the largest and
// densest patterns on the timing of another program.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts
import TestSupport

enum SharedFigures {
    private static let runs = 100
    /// The maximum number of entries in a pattern.
    private static let entriesMax = 100_000

    /// Measures the timing errors of this program's taps in five situations: alone; while `bridge
    /// play` repeatedly sends the largest possible pattern; and while another engine seeks
    /// continuously, plays the densest possible pattern, or sends thousands of parameters.
    static func print() throws {
        let board = try MeasuredBoard.virtual()
        let server = try RunningTool(Tool.executable("bridge"), ["serve", "--port", board.port])
        guard wait(seconds: 10, until: { server.output.contains("served") }) else {
            return note("bridge serve: \(server.errors)")
        }
        defer {
            server.signal(SIGTERM)
            _ = server.outcome()
        }
        let engine = CHHapticEngine(device: .port(board.port))
        try engine.start()
        defer { engine.stopAndWait() }
        note("taps at given times on a served board, \(runs) times")
        let alone = try errors(of: engine, on: board)
        note("taps while another program sends patterns of \(entriesMax) taps")
        let large = try during(patterns(for: board.port)) { try errors(of: engine, on: board) }
        note(
            "taps while another engine seeks in a pattern of 5,000 events at the maximum rate")
        let seeks = try during(seeks(for: board.port)) { try errors(of: engine, on: board) }
        note("taps while another engine plays 490 events that overlap in each 50 ms")
        let dense = try during(dense(for: board.port)) { try errors(of: engine, on: board) }
        note("taps while another engine sends 300 parameters for the next second every 50 ms")
        let parameters = try during(parameters(for: board.port)) {
            try errors(of: engine, on: board)
        }
        for (name, errors) in [
            ("alone", alone), ("beside_large", large), ("beside_seeks", seeks),
            ("beside_dense", dense), ("beside_parameters", parameters),
        ] {
            let deviations = Deviations(errors)
            printFigure("onset_error_\(name)_ms_p95", deviations.percentile(0.95), "ms")
            printFigure("onset_error_\(name)_ms_max", deviations.percentile(1), "ms")
        }
    }

    /// Measures timing errors while another thread repeats a closure.
    private static func during(
        _ work: @escaping @Sendable () -> Bool, _ measure: () throws -> [Double]
    ) throws -> [Double] {
        let (isOver, count) = (LockedValue(false), LockedValue(0))
        let other = Thread {
            while !isOver.withLock({ $0 }), work() { count.withLock { $0 += 1 } }
        }
        other.start()
        defer {
            isOver.withLock { $0 = true }
            _ = wait(seconds: 20) { other.isFinished }
        }
        let errors = try measure()
        note("\(count.withLock { $0 }) times during the measurement")
        return errors
    }

    /// Returns a closure that starts a program, which sends the largest pattern, and ends the
    /// program before the pattern begins.
    private static func patterns(for port: String) throws -> @Sendable () -> Bool {
        let folder = Folder()
        _ = try folder.write("large.ahap", largest())
        return {
            guard
                let tool = try? RunningTool(
                    Tool.executable("bridge"), ["play", "--port", port, folder.path("large.ahap")])
            else { return false }
            usleep(4_000_000)
            tool.signal(SIGINT)
            return tool.outcome().wasEnded(by: SIGINT)
        }
    }

    /// Returns a closure that seeks to a random time in a playing pattern.
    private static func seeks(for port: String) throws -> @Sendable () -> Bool {
        let (engine, started) = try playing(5_000, every: 0.1, for: 0.05, on: port)
        nonisolated(unsafe) let player = started
        return {
            let offset = Double.random(in: 0..<400)
            return withExtendedLifetime(engine) { (try? player.seek(toOffset: offset)) != nil }
        }
    }

    /// Returns a closure that waits for a second while an engine plays the densest possible
    /// pattern.
    private static func dense(for port: String) throws -> @Sendable () -> Bool {
        let (engine, started) = try playing(90_000, every: 0.05 / 490, for: 1, on: port)
        nonisolated(unsafe) let player = started
        return {
            usleep(1_000_000)
            return withExtendedLifetime((engine, player)) { engine.isRunning }
        }
    }

    /// Returns a closure that sends 300 parameters to a playing pattern.
    private static func parameters(for port: String) throws -> @Sendable () -> Bool {
        let (engine, started) = try playing(1, every: 1, for: 300, on: port)
        nonisolated(unsafe) let player = started
        return {
            usleep(50_000)
            let parameters = (0..<300).map { _ in
                CHHapticDynamicParameter(
                    parameterID: .hapticIntensityControl, value: .random(in: 0...1),
                    relativeTime: .random(in: 0...1))
            }
            return withExtendedLifetime(engine) {
                (try? player.sendParameters(parameters, atTime: CHHapticTimeImmediate)) != nil
                    && engine.isRunning
            }
        }
    }

    /// Plays weak events with its own engine.
    private static func playing(
        _ count: Int, every interval: Double, for duration: Double, on port: String
    ) throws -> (CHHapticEngine, any CHHapticAdvancedPatternPlayer) {
        let engine = CHHapticEngine(device: .port(port))
        try engine.start()
        let events = (0..<count).map { number in
            CHHapticEvent(
                eventType: .hapticContinuous,
                parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.02)],
                relativeTime: Double(number) * interval, duration: duration)
        }
        let player = try engine.makeAdvancedPlayer(
            with: CHHapticPattern(events: events, parameters: []))
        try player.start(atTime: CHHapticTimeImmediate)
        return (engine, player)
    }

    /// Returns the timing errors of taps, in milliseconds.
    private static func errors(
        of engine: CHHapticEngine, on board: MeasuredBoard
    ) throws -> [Double] {
        let tap = CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 1)],
            relativeTime: 0)
        let player = try engine.makePlayer(with: CHHapticPattern(events: [tap], parameters: []))
        var errors: [Double] = []
        for run in 0..<runs {
            let seconds = engine.currentTime + 0.1
            let time = HostTime(microseconds: Int64(seconds * 1_000_000))
            try player.start(atTime: seconds)
            usleep(UInt32(160_000 + run * 370 % 10_000))
            errors += board.delay(from: time - 50_000, to: Link.now()) { $0 > 200 }
                .map { abs($0 - 50) }
        }
        if errors.count < runs {
            note("\(runs - errors.count) of \(runs) taps did not reach the chip")
        }
        return errors
    }

    /// Returns a pattern with the maximum number of entries, whose first event begins after half a
    /// minute.
    private static func largest() -> String {
        let event = #"{"Event":{"EventType":"HapticTransient","Time":"#
        let events = (0..<entriesMax).map { event + "\(30 + Double($0) / 200)}}" }
        return #"{"Pattern":[\#(events.joined(separator: ","))]}"#
    }
}
