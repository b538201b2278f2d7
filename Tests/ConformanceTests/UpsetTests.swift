// Tests of upsets: a register of the microcontroller loses its contents while the main loop
// continues. When the firmware detects that a part has stopped, it no longer feeds the watchdog, so
// EN is set low (SPEC 9).

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite struct UpsetTests {
    /// The part that stops when the value of its register changes.
    enum Upset: String, CaseIterable {
        case clock, timedWrites

        /// Returns the part's register on a board, and the value that stops the part.
        fileprivate func register(of board: ConformanceBoard) -> (address: Int, value: UInt8)? {
            switch (self, board) {
            case (.clock, .simulated): (0x81, 0)  // TCCR1B: Timer1 is stopped
            case (.timedWrites, .simulated): (0x6F, 0)  // TIMSK1: no interrupts of Timer1
            case (.clock, .simulatedPico): (0x4005_4030, 1)  // TIMER PAUSE
            case (.timedWrites, .simulatedPico): (0x4005_4038, 0)  // TIMER INTE
            default: nil
            }
        }

        fileprivate static let here = ConformanceBoard.lockStep.flatMap { board in
            allCases.filter { $0.register(of: board) != nil }.map { (board, $0) }
        }
    }

    @Test(arguments: Upset.here)
    func aPartThatStandsStillBringsTheActuatorToRest(
        _ board: ConformanceBoard, _ upset: Upset
    ) async throws {
        try await board.test { rig in
            rig.provoked = [.staleStart]
            #expect(try rig.link.carryOut(.save(actuator: 0)) == nil)
            rig.link.run(for: 300_000)
            // The ramp lasts one second, so a write is always pending.
            let start = try rig.begin([0xD0, 200, 0x90, 0x1F, 0xF1, 0x90, 0x1F, 0x00])
            try rig.run(to: start &+ 300_000)
            #expect(rig.drive > 0)
            let time = rig.board.now
            let register = try #require(upset.register(of: board))
            (rig.board as? LockStepBoard)?.poke(register.address, register.value)
            rig.link.run(limit: 3_000_000) { $0.session.phase == .ended }
            let end = rig.link.session.endReason
            guard case .sessionLost(.watchdog, _)? = end else {
                Issue.record("\(end.map { "\($0)" } ?? "nothing happened")")
                return
            }
            let changes = rig.board.driveChanges.filter { $0.time > time }
            let rest = try #require(changes.first { $0.drive == 0 })
            #expect(rest.time - time <= 400_000)
            // A low EN does not clear the chip's registers. The first transfer of the starting
            // board clears them.
            let later = changes.filter { $0.time > rest.time }
            #expect(later.last?.drive ?? 0 == 0)
            #expect((later.last?.time ?? 0) - (later.first?.time ?? 0) <= 100)
            try rig.connect()
            #expect(try rig.waitForRest())
        }
    }
}
