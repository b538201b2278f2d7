// Tests that STOP (SPEC 4.3) and the dead-man timer (SPEC 9) bring the actuator to rest in every
// state of the board.

import BridgeLink
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct BoardStopTests {
    /// The phase of playback in which the board receives STOP.
    enum Phase: String, CaseIterable {
        case atRest, loaded, waitingForItsTime, level, ramp, tap, dry, ended

        /// The events in a stream that remains in the phase for more than a second.
        fileprivate var events: [UInt8] {
            switch self {
            case .atRest: []
            case .loaded, .waitingForItsTime, .level: StreamSample.held
            case .ramp: [0xD0, 255, 0xC0, 0x3E, 0xF2]
            // The stream contains 65 dull taps at intervals of 20 ms. Each tap is still playing
            // when the next tap begins.
            case .tap: [0x91, 80, 250, 0, 0xF5, 0xA0, 0xF3, 0x20]
            case .dry: [0xB0, 200, 0xF1, 40, 0x03]
            case .ended: [0xB0, 200, 0xF1, 40, 0x00]
            }
        }

        fileprivate var isDriving: Bool { [.level, .ramp, .tap].contains(self) }
    }

    @Test(
        arguments: ConformanceBoard.pairs(
            Phase.allCases, inRealTime: [.waitingForItsTime, .level, .tap, .dry]))
    func itComesToRestAtOnce(_ board: ConformanceBoard, from phase: Phase) async throws {
        try await board.test { rig in
            try rig.enter(phase)
            if board.hasTrace { #expect((rig.drive != 0) == phase.isDriving) }
            let before = try rig.link.status().clock
            let sent = board.isRealTime ? 0 : rig.board.now
            try rig.link.stop()
            let after = try rig.link.status().clock
            #expect(try rig.link.stream().state == .closed)
            #expect(try rig.waitForRest(limit: board.isRealTime ? 1_000_000 : 50_000))
            #expect(try rig.link.status().state.isDisjoint(with: [.awake, .driving]))
            try rig.expectSilence(since: before, until: after)
            guard !board.isRealTime, phase.isDriving else { return }
            // The frame has 13 bytes of 40 us each.
            let zero = rig.board.transactions.levels.first { $0.time > sent && $0.value == 0 }
            let latest = sent + 13 * 40 + board.reaction
            #expect(zero?.time ?? .max <= latest)
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func whatIsSentAfterItIsPlayed(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            for _ in 0..<3 {
                let start = try rig.begin(StreamSample.held)
                try rig.run(to: start &+ 20_000)
                #expect(try rig.link.status().state.contains(.driving))
                try rig.link.stop()
                #expect(try !rig.link.status().state.contains(.driving))
            }
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func closeBringsTheActuatorToRest(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 50_000)
            let before = try rig.link.status().clock
            #expect(try rig.link.carryOut(.close(stream: 0)) == nil)
            let after = try rig.link.status().clock
            #expect(try rig.waitForRest())
            try rig.expectSilence(since: before, until: after)
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func aHostThatFallsSilentIsNotPlayedOnFor(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let trips = try rig.link.status().deadManTrips
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 100_000)
            let heard = try rig.link.status().clock
            rig.beSilent(for: 500_000)
            // The board has now reported the change without a query.
            #expect(rig.notices.last?.state == .closed)
            #expect(rig.toldFaults.contains(.deadMan))
            let status = try rig.link.status()
            #expect(status.deadManTrips == trips &+ 1)
            #expect(status.state.isDisjoint(with: [.awake, .driving]))
            #expect(try rig.link.actuator().state == .atRest)
            if board.hasTrace {
                let levels = try rig.levels(since: heard).map(\.time)
                let limit = BoardTime(BRIDGE_DEAD_MAN_US)
                // The board may have received queries after the last message with a known time.
                #expect((limit - 1_000...limit + 15_000).contains(try #require(levels.first)))
                let brake = BoardTime(ActuatorConfiguration.coinLRA.brake) * 1_000
                let standby = try #require(rig.standbyTime(since: heard))
                #expect(standby <= limit + 15_000 + brake + 2 * board.reaction)
            }
            try rig.clearFaults()
            #expect(try !rig.link.status().faults.contains(.deadMan))
            let again = try rig.begin(StreamSample.held)
            try rig.run(to: again &+ 20_000)
            #expect(try rig.link.status().state.contains(.driving), "the session continues")
            try rig.link.stop()
        }
    }
}

extension Rig {
    fileprivate func enter(_ phase: BoardStopTests.Phase) throws {
        switch phase {
        case .atRest: break
        case .loaded: try load(phase.events)
        case .waitingForItsTime:
            _ = try begin(phase.events, after: 3_000_000)
            link.run(for: 50_000)
        default:
            let start = try begin(phase.events)
            try run(to: start &+ 30_000)
        }
    }

    /// The level with which the chip currently drives the actuator, according to the trace.
    var drive: Int { board.driveChanges.last?.drive ?? 0 }

    /// The faults that the board has reported without a query.
    fileprivate var toldFaults: Faults {
        link.events.reduce(into: []) { faults, event in
            if case .status(let status, nil) = event { faults.formUnion(status.faults) }
        }
    }

    /// Returns the time at which the chip last entered standby, relative to a time on the device's
    /// clock, or nil if the last mode is not standby.
    func standbyTime(since clock: UInt32) -> BoardTime? {
        board.transactions.last { $0.write?.register == 0x01 }
            .flatMap { $0.write!.value & 0x40 != 0 ? $0.start : nil }
            .map { $0 - board.traceTime(of: clock) }
    }

    func clearFaults() throws {
        let status = try link.status()
        let clear = ClearFaults(faults: status.faults, faultTotal: status.faultTotal)
        #expect(try link.carryOut(.clearFaults(clear)) == nil)
    }

    /// Checks that level 0 was written between two times on the device's clock or earlier, and that
    /// no other level has been written since.
    func expectSilence(
        since before: UInt32, until after: UInt32, _ place: SourceLocation = #_sourceLocation
    ) throws {
        guard kind.hasTrace else { return }
        let levels = try levels(since: before)
        let firstZero = levels.firstIndex { $0.value == 0 } ?? 0
        #expect(levels[firstZero...].allSatisfy { $0.value == 0 }, sourceLocation: place)
        let limit = BoardTime(after &- before)
        #expect(levels.allSatisfy { $0.value == 0 || $0.time < limit }, sourceLocation: place)
        #expect(drive == 0, sourceLocation: place)
    }
}
