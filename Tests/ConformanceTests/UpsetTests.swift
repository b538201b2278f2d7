// A register of the microcontroller that loses its contents while the main loop continues: the part
// that stands still is noticed, the watchdog is not fed, and EN goes low (SPEC 9).

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite struct UpsetTests {
    /// The part that stands still when its register of the ATmega328P is 0.
    enum Upset: String, CaseIterable {
        case clock, timedWrites

        fileprivate var register: Int {
            switch self {
            case .clock: 0x81  // TCCR1B: Timer1 stops
            case .timedWrites: 0x6F  // TIMSK1: its interrupts are off
            }
        }
    }

    @Test(
        .enabled(if: ConformanceBoard.available.contains(.simulated)), arguments: Upset.allCases)
    func aPartThatStandsStillBringsTheActuatorToRest(_ upset: Upset) async throws {
        try await ConformanceBoard.simulated.test { rig in
            rig.provoked = [.staleStart]
            #expect(try rig.link.carryOut(.save(actuator: 0)) == nil)
            rig.link.run(for: 300_000)
            // A ramp of one second, so that there is always a write to come.
            let start = try rig.begin([0xD0, 200, 0x90, 0x1F, 0xF1, 0x90, 0x1F, 0x00])
            try rig.run(to: start &+ 300_000)
            #expect(rig.drive > 0)
            let time = rig.board.now
            (rig.board as? LockStepBoard)?.poke(upset.register, 0)
            rig.link.run(limit: 3_000_000) { $0.session.phase == .ended }
            let end = rig.link.session.endReason
            guard case .sessionLost(.watchdog, _)? = end else {
                Issue.record("\(end.map { "\($0)" } ?? "nothing happened")")
                return
            }
            let changes = rig.board.driveChanges.filter { $0.time > time }
            let rest = try #require(changes.first { $0.drive == 0 })
            #expect(rest.time - time <= 400_000)
            // EN low does not clear the chip's registers; the board's first transfer as it boots
            // does.
            let later = changes.filter { $0.time > rest.time }
            #expect(later.last?.drive ?? 0 == 0)
            #expect((later.last?.time ?? 0) - (later.first?.time ?? 0) <= 100)
            try rig.connect()
            #expect(try rig.waitForRest())
        }
    }
}
