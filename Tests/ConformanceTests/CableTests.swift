// Tests of a board whose USB cable is unplugged and plugged in, or whose USB is suspended or reset.
// The actuator must come to rest, and a host must be able to open a new session (SPEC 3, 9).

import BridgeLink
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite(
    .enabled(if: ConformanceBoard.simulatedPico.absence == nil, "the simulated Pico is not built"))
struct CableTests {
    /// The maximum time from the arrival of the last frame until the actuator is at rest, in
    /// microseconds: the dead-man time, a round of the loop and the transfer of level 0.
    private static let restTime = BoardTime(BRIDGE_DEAD_MAN_US) + 5_000
    /// The maximum time in which a host detects a newly connected device and opens its port.
    private static let plugTime: BoardTime = 1_000_000

    /// The phase of a transfer in which the cable is unplugged.
    enum Phase: CaseIterable {
        /// A packet with a query arrives.
        case receiving
        /// The answer to a query is sent.
        case sending
        /// An event is written to the chip.
        case writing
    }

    /// Unplugs the cable at many times during a transfer. In the complete proof, the interval
    /// between these times is 0.3 us.
    @Test(arguments: Phase.allCases, 0..<8)
    func pulledInTheMiddleOfATransferItEndsAtRestAndInANewSession(
        _ phase: Phase, part: Int
    ) throws {
        let rig = try ImageRig(.pico)
        for point in Proof.thinned(0..<24, every: 8) {
            rig.hold(200, for: 20_000_000)
            #expect(rig.link.run(limit: 1_000_000) { _ in rig.drive == 200 })
            try begin(phase, on: rig)
            rig.board.advance(toCycle: rig.board.cycle + Cycle(part * 24 + point) * 15)
            try pull(on: rig)
        }
        #expect(rig.board.chipFindings.undefinedAccesses == 0)
    }

    /// Starts a transfer.
    private func begin(_ phase: Phase, on rig: ImageRig) throws {
        let query = FrameEncoder(session: rig.link.session.sessionID)
            .encode(Frame(.query(.actuator(0)), sequence: 200))
        rig.link.run(for: 3_000)
        _ = rig.board.drainArrived()
        rig.board.send(query, at: rig.board.now)
        switch phase {
        case .receiving:
            // The board has run only up to the start of the USB frame in which the query arrives,
            // because the simulation cannot go back in time.
            break
        case .sending:
            while rig.board.drainArrived().isEmpty {
                rig.board.advance(toCycle: rig.board.cycle + 48)
            }
        case .writing:
            rig.board.forgetTrace()
            while rig.board.trace.transactions.isEmpty {
                rig.board.advance(toCycle: rig.board.cycle + 48)
            }
        }
    }

    private func pull(on rig: ImageRig, _ place: SourceLocation = #_sourceLocation) throws {
        rig.board.cable(isPluggedIn: false)
        let pulled = rig.board.now
        rig.board.advance(to: pulled + Self.restTime)
        #expect(rig.drive == 0, sourceLocation: place)
        let heard = rig.board.drainSent().last?.time ?? 0
        #expect(heard <= pulled, "the board sends without a receiver", sourceLocation: place)
        rig.board.advance(to: rig.board.now + 50_000)
        rig.board.cable(isPluggedIn: true)
        rig.board.advance(to: rig.board.now + Self.plugTime)
        try rig.connect()
        #expect(rig.drive == 0, sourceLocation: place)
        #expect(try rig.link.actuator().state == .atRest, sourceLocation: place)
        #expect(rig.welcome?.resetCause == .power, "the board was not reset", sourceLocation: place)
        #expect(rig.board.trace.resets.count == 1, sourceLocation: place)
    }

    /// Unplugs the cable at many times while the host detects the device.
    @Test(arguments: 0..<4)
    func pulledWhileTheHostFindsItItIsFoundTheNextTime(part: Int) throws {
        let rig = try ImageRig(.pico)
        for point in 0..<25 {
            rig.board.cable(isPluggedIn: false)
            rig.board.advance(to: rig.board.now + 20_000)
            rig.board.cable(isPluggedIn: true)
            rig.board.advance(to: rig.board.now + BoardTime(part + 4 * point) * 3_137)
        }
        rig.board.cable(isPluggedIn: false)
        rig.board.advance(to: rig.board.now + 20_000)
        rig.board.cable(isPluggedIn: true)
        rig.board.advance(to: rig.board.now + Self.plugTime)
        try rig.connect()
        try rig.play(200, for: 100_000)
    }

    /// Suspends the bus once for less than the dead-man time and once for longer.
    @Test(arguments: [100_000, 400_000, 2_000_000])
    func aSuspendedBusIsAHostThatFallsSilent(_ time: BoardTime) throws {
        let rig = try ImageRig(.pico)
        rig.hold(200, for: 20_000_000)
        #expect(rig.link.run(limit: 1_000_000) { _ in rig.drive == 200 })
        rig.board.bus(isSuspended: true)
        let start = rig.board.now
        rig.board.advance(to: start + time)
        #expect(rig.drive == (time < BoardTime(BRIDGE_DEAD_MAN_US) ? 200 : 0))
        if let rest = rig.board.driveChanges.last(where: { $0.drive == 0 && $0.time > start }) {
            #expect(rest.time - start <= Self.restTime)
        }
        rig.board.bus(isSuspended: false)
        rig.board.advance(to: rig.board.now + 50_000)
        // The board has kept the session and its configuration.
        let status = try rig.link.status()
        #expect(status.faults.contains(.deadMan) == (time > BoardTime(BRIDGE_DEAD_MAN_US)))
        #expect(status.damagedFrames == 0)
        try rig.link.stop()
        try rig.play(120, for: 100_000)
    }

    @Test func aUSBWhoseInterruptsAreSwitchedOffReceivesAgain() throws {
        let rig = try ImageRig(.pico)
        rig.hold(200, for: 20_000_000)
        #expect(rig.link.run(limit: 1_000_000) { _ in rig.drive == 200 })
        for _ in 0..<50 {
            rig.board.poke(0x5011_0090, 0)  // USB INTE
            rig.link.run(for: 20_000)
        }
        #expect(rig.link.session.phase == .open && rig.drive == 200)
        try rig.link.stop()
        rig.link.run(for: 1_000)
        #expect(rig.drive == 0)
    }

    @Test func aResetOfTheBusEndsAtRestAndInANewSession() throws {
        let rig = try ImageRig(.pico)
        for point in 0..<40 {
            rig.hold(200, for: 20_000_000)
            #expect(rig.link.run(limit: 1_000_000) { _ in rig.drive == 200 })
            rig.board.advance(toCycle: rig.board.cycle + Cycle(point) * 1_217)
            rig.board.resetBus()
            rig.board.advance(to: rig.board.now + Self.restTime)
            #expect(rig.drive == 0)
            rig.board.advance(to: rig.board.now + Self.plugTime)
            try rig.connect()
            #expect(try rig.link.actuator().state == .atRest)
        }
        #expect(rig.board.trace.resets.count == 1)
    }
}

extension ImageRig {
    /// The level with which the chip currently drives the actuator.
    var drive: Int { board.driveChanges.last?.drive ?? 0 }
}
