// Tests of resets of the microcontroller by every cause. After a reset, the actuator must be at
// rest, and it must be configured in a new session (SPEC 3, 4.2, 8).

import BridgeLink
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct ResetTests {
    enum Reset: String, CaseIterable {
        case pin, power, hang, hangWithInterrupts

        fileprivate var cause: ResetCause {
            switch self {
            case .pin: .external
            case .power: .power
            case .hang, .hangWithInterrupts: .watchdog
            }
        }

        fileprivate func happen(to board: any BreakableBoard) {
            switch self {
            case .pin: board.reset()
            case .power: board.powerCycle()
            case .hang: board.hang(interruptsOn: false)
            case .hangWithInterrupts: board.hang(interruptsOn: true)
            }
        }
    }

    /// The maximum time from a reset of any kind until the actuator can play, in microseconds.
    private static let recovery: BoardTime = 3_000_000

    @Test(arguments: ConformanceBoard.breakable.filter(\.runsImage), Reset.allCases)
    func theBoardComesBackAtRestWithItsConfigurationAndTheCause(
        _ board: ConformanceBoard, _ reset: Reset
    ) async throws {
        try await board.test { rig in
            rig.provoked = [.staleStart]
            let boots = try rig.saveAndDrive()
            #expect(rig.drive == 200)
            let time = rig.board.now
            reset.happen(to: rig.parts)
            rig.link.run(limit: Self.recovery) { $0.session.phase == .ended }
            if case .sessionLost(let cause, _)? = rig.link.session.endReason {
                #expect(cause == reset.cause)
            }
            let count = reset.cause == .power ? 1 : boots &+ 1
            try rig.expectRecovery(reset.cause, boots: count)
            #expect(rig.board.now - time <= Self.recovery)
            rig.expectNoDrive(since: time)
            let sample = StreamSample.tapsOverARamp
            let played = try PlayedPattern(
                sample.bytes, sample.events, limit: 3_000_000, on: rig.link)
            try rig.expectFelt(played)
        }
    }

    @Test(arguments: ConformanceBoard.breakable.filter(\.runsImage), Reset.allCases)
    func whatWasNotSavedIsForgotten(_ board: ConformanceBoard, _ reset: Reset) async throws {
        try await board.test { rig in
            reset.happen(to: rig.parts)
            rig.link.run(limit: Self.recovery) { $0.session.phase == .ended }
            try rig.connect()
            rig.link.run(for: 100_000)
            #expect(try rig.link.actuator().state == .unconfigured)
            let open = Open(stream: 0, actuators: ActuatorMask(index: 0))
            #expect(try rig.link.carryOut(.open(open))?.code == .unconfigured)
        }
    }

    @Test(arguments: ConformanceBoard.reopenable)
    func aBoardThatResetsOnOpenIsFoundAgain(_ board: ConformanceBoard) async throws {
        try await board.test(options: ["--reset-on-open"]) { rig in
            rig.provoked = [.staleStart]
            let boots = try rig.saveAndDrive()
            let time = rig.board.now
            try (rig.board as? PortBoard)?.reopen()
            rig.link.run(limit: Self.recovery) { $0.session.phase == .ended }
            try rig.expectRecovery(.external, boots: boots &+ 1)
            #expect(rig.board.now - time <= Self.recovery)
            #expect(rig.drive == 0)
        }
    }
}

extension Rig {
    /// Saves the configuration and begins to play. Returns the board's boot count.
    fileprivate func saveAndDrive() throws -> UInt16 {
        #expect(try link.carryOut(.save(actuator: 0)) == nil)
        // Writing to nonvolatile memory is slow: 3.4 ms per byte on an ATmega328P.
        link.run(for: 300_000)
        let start = try begin(StreamSample.held)
        try run(to: start &+ 50_000)
        return try #require(link.session.welcome).bootCount
    }

    fileprivate func expectRecovery(_ cause: ResetCause, boots: UInt16) throws {
        let welcome = try connect()
        #expect(welcome.resetCause == cause)
        #expect(welcome.bootCount == boots)
        #expect(try waitForRest())
        #expect(try link.actuator().state == .atRest)
        #expect(try link.configuration() == .coinLRA)
        #expect(try link.stream().state == .closed)
    }

    /// Checks that the chip drives for no longer than 600 us at a time. A chip that has kept its
    /// power also retains its level, and would drive this level between the rise of EN and the
    /// transfer that resets the chip. The output stage of the chip takes longer than 600 us to
    /// start (SLOS854D page 10).
    fileprivate func expectNoDrive(
        since time: BoardTime, _ place: SourceLocation = #_sourceLocation
    ) {
        let drives = board.driveChanges.filter { $0.time >= time }
        #expect(drives.first?.drive ?? 0 == 0, sourceLocation: place)
        #expect(drives.last?.drive ?? 0 == 0, sourceLocation: place)
        for (begin, end) in zip(drives, drives.dropFirst()) where begin.drive != 0 {
            #expect(end.time - begin.time <= 600, sourceLocation: place)
        }
    }
}
