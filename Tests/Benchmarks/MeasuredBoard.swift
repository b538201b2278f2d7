// MeasuredBoard: a board in another process whose trace can be read in host time.

import BridgeLink
import DRV2605
import Foundation
import SerialPorts
import TestSupport
import VirtualBoard

/// A running and configured board.
struct MeasuredBoard {
    private let program: BoardProgram
    private let trace: BoardTrace
    /// The host time at which the trace begins.
    private let origin: HostTime

    var port: String { program.port }

    /// Returns a board that the program `virtual-board` simulates.
    static func virtual() throws -> MeasuredBoard {
        try MeasuredBoard(BoardProgram(Tool.executable("virtual-board"), []), .transactions)
    }

    /// Returns a board that runs an image on its simulator, at the pace of the wall clock.
    static func simulated(by simulator: BoardSimulator) throws -> MeasuredBoard {
        try MeasuredBoard(BoardProgram(simulator), .cycles(simulator))
    }

    private init(_ program: BoardProgram, _ format: BoardTrace.Format) throws {
        self.program = program
        trace = try BoardTrace(program.tracePath, format)
        let link = Link(try openPort(program.port))
        defer { link.close() }
        _ = try link.connect()
        try link.carryOut(.configure(.coinLRA, actuator: 0))
        try link.run(until: Link.now() + 300_000)
        let now = Link.now()
        let device = link.session.clock.deviceTime(at: now)?.time ?? 0
        origin = now - trace.time(ofDeviceClock: device.stamp)
    }

    /// Returns the host times at which the actuator is driven after at least 50 ms of rest.
    var onsets: [HostTime] {
        var onsets: [HostTime] = []
        var restsSince: Microseconds? = -1_000_000
        for level in trace.transactions.levels {
            if level.value == 0 {
                restsSince = restsSince ?? level.time
            } else {
                if let rest = restsSince, level.time - rest >= 50_000 {
                    onsets.append(origin + level.time)
                }
                restsSince = nil
            }
        }
        return onsets
    }

    /// Returns the milliseconds from `start` to the first matching level before `end`, or an empty
    /// array if no level matches.
    func delay(
        from start: HostTime, to end: HostTime, _ isMeant: (Int) -> Bool
    ) -> [Double] {
        let first = trace.transactions.levels.first {
            (start..<end).contains(origin + $0.time) && isMeant(Int($0.value))
        }
        return first.map { [Double(origin + $0.time - start) / 1_000] } ?? []
    }
}
