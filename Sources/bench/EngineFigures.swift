// How soon an engine's players are felt: on the virtual board behind its paced pseudo-terminal.

import AHAP
import BridgeLink
import CBridgeProtocol
import Foundation
import HapticBridge
import TestSupport
import VirtualBoard

enum EngineFigures {
    private static let runs = 200

    static func print() throws {
        for count in [1, 20] {
            note("an engine with \(count) players on the virtual board, \(runs) times each")
            try print(players: count)
        }
    }

    private static func print(players count: Int) throws {
        let board = try MeasuredBoard()
        let engine = CHHapticEngine(device: .port(board.port))
        try engine.start()
        defer { stop(engine, of: board) }
        let name = count == 1 ? "" : "_\(count)_players"
        // The others play on, unfelt beneath.
        let others = try (1..<count).map { _ in try engine.makePlayer(with: .held(0.1)) }
        for other in others { try other.start(atTime: CHHapticTimeImmediate) }
        let player = try engine.makeAdvancedPlayer(with: .held(1))
        var starts: [Double] = []
        var changes: [Double] = []
        for run in 0..<runs {
            usleep(UInt32(30_000 + run * 370 % 10_000))
            let started = Link.now()
            try player.start(atTime: CHHapticTimeImmediate)
            usleep(40_000)
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
        print("start_latency\(name)", starts)
        print("parameter_latency\(name)", changes)
    }

    /// Stops it while its board is still there.
    private static func stop(_ engine: CHHapticEngine, of board: MeasuredBoard) {
        let isStopped = DispatchSemaphore(value: 0)
        engine.stop { _ in isStopped.signal() }
        isStopped.wait()
        withExtendedLifetime(board) {}
    }

    private static func print(_ name: String, _ times: [Double]) {
        if times.count < runs { note("\(name): \(runs - times.count) of \(runs) were not felt") }
        guard !times.isEmpty else { return }
        let deviations = Deviations(times)
        printFigure("\(name)_ms_p50", deviations.percentile(0.5), "ms")
        printFigure("\(name)_ms_p95", deviations.percentile(0.95), "ms")
        printFigure("\(name)_ms_p99", deviations.percentile(0.99), "ms")
    }
}

/// A virtual board whose trace can be read in the host's time.
private struct MeasuredBoard {
    private let program: BoardProgram
    private let trace: BoardTrace
    /// Board time less host time.
    private let offset: Microseconds

    var port: String { program.port }

    init() throws {
        program = try BoardProgram(Tool.executable("virtual-board"), [])
        trace = try BoardTrace(program.tracePath, .transactions)
        let link = Link(try openPort(program.port))
        defer { link.close() }
        _ = try link.connect()
        try link.run(until: Link.now() + 300_000)
        let now = Link.now()
        let device = link.session.clock.deviceTime(at: now)?.time ?? 0
        offset = device - Microseconds(BRIDGE_CLOCK_AT_BOOT) - now
    }

    /// Milliseconds from a host time to the first level of a kind; none if there is none.
    func delay(
        from start: Microseconds, to end: Microseconds, _ isMeant: (Int) -> Bool
    ) -> [Double] {
        let first = trace.transactions.levels.first {
            $0.time - offset >= start && $0.time - offset < end && isMeant(Int($0.value))
        }
        return first.map { [Double($0.time - offset - start) / 1_000] } ?? []
    }
}

extension CHHapticPattern {
    /// A continuous event that plays until it is stopped.
    fileprivate static func held(_ intensity: Double) -> CHHapticPattern {
        CHHapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 0, intensity: intensity)
        ])
    }
}
