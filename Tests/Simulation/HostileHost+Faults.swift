// HostileHost+Faults: the faults during a run with a hostile host: resets and losses of power at
// any time, and failures of the chip, the bus and the memory.

import BridgeLink
import TestSupport
import VirtualBoard

extension HostileHost {
    /// The time, in seconds at full level, for which a fault prevents the device from detecting or
    /// controlling the chip's drive (SPEC 9).
    private enum Allowance {
        /// The time after a reset: the chip drives the old level until the first transfer.
        static let reset = 0.008
        /// The time of a hang: the chip drives until the watchdog sets EN low.
        static let hang = 0.65
        /// The time after a wrong level: the chip drives it until the device reads the level back.
        static let wrongLevel = 0.16
    }

    private func allow(seconds: Double) {
        for actuator in referees.indices { referees[actuator].allow(seconds: seconds) }
    }

    /// Flips a bit in the first stored configuration or lock, and restarts the board, which loads
    /// the stored settings. Then tries to configure the actuator again, because the actuator may
    /// have lost its configuration.
    func flipStoredBit() {
        let cell = stored.randomElement(using: &random)!
        record("flips a bit of cell \(cell)")
        (board as? LockStepBoard)?.damage(
            cell: cell, bits: 1 << UInt8.random(in: 0...7, using: &random))
        restart()
        carryOut(.configure(limits, actuator: 0))
        link.run(for: 60_000)
    }

    /// Resets the board during playback. The cause is random.
    func restart() {
        judge()
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            record("reset")
            board.reset()
            allow(seconds: Allowance.reset)
        case 1:
            let interruptsOn = random.chance(oneIn: 2)
            record("hangs, with interrupts: \(interruptsOn)")
            board.hang(interruptsOn: interruptsOn)
            allow(seconds: Allowance.hang + Allowance.reset)
        default:
            record("loses its power")
            board.powerCycle()
            for actuator in referees.indices { referees[actuator].forget() }
            allow(seconds: Allowance.reset)
        }
        board.advance(to: board.now + 800_000)
        reconnect()
    }

    /// Resets the board repeatedly while it begins to drive. The heat must survive each reset.
    func resetInSuccession() {
        judge()
        let driven = BoardTime.random(in: 500...6_000, using: &random)
        record("resets in succession, \(driven) us after each start")
        for _ in 0..<Int.random(in: 5...30, using: &random) {
            begin([0xB0, 255] + Self.level(255, ticks: 16_383) + [0xF3, 1], tick: 250)
            link.run(limit: 60_000) { link in link.board.driveChanges.contains { $0.drive != 0 } }
            link.run(for: driven)
            board.reset()
            board.advance(to: board.now + 66_000)
            judge()
            reconnect()
        }
        allow(seconds: Allowance.reset)
    }

    /// Injects a fault into a chip: the chip stores a wrong byte or acknowledges no byte, even in
    /// the middle of a write to several chips.
    func breakChip(_ fault: ChipFault) {
        record("\(fault)")
        board.chip(.random(in: 0..<count, using: &random), fault)
        allow(seconds: Allowance.wrongLevel)
        link.run(for: .random(in: 0...300_000, using: &random))
    }

    /// Causes the multiplexer to select a channel other than the requested channel. A level is then
    /// written to a different chip, and the intended chip keeps its previous level.
    func mislead() {
        let bits = UInt8.random(in: 1..<1 << UInt8(count), using: &random)
        record("the multiplexer is misled by \(bits)")
        board.multiplexerIsMisled(bits: bits)
        allow(seconds: Allowance.wrongLevel)
        link.run(for: .random(in: 0...300_000, using: &random))
    }

    /// Repeatedly starts the setup of a chip that retains its level and acknowledges no byte.
    func setUpInSuccession() {
        playSteadily()
        let configures = random.chance(oneIn: 2)
        record("setups of a chip that does not acknowledge, by CONFIGURE: \(configures)")
        board.chip(0, .nack(bytes: Int(UInt32.max)))
        allow(seconds: Allowance.wrongLevel)
        for _ in 0..<Int.random(in: 5...100, using: &random) {
            if configures { carryOut(.configure(limits, actuator: 0)) } else { reconnect() }
            link.run(for: .random(in: 0...40_000, using: &random))
        }
        board.chip(0, .nack(bytes: 0))
        reconnect()
        link.run(for: 100_000)
    }

    /// Repeatedly wakes an actuator, each time for a period that is too short for the device to
    /// check the chip. In each period, either the level that plays until the stop or the level that
    /// ends it is corrupted or not acknowledged. The budget does not limit that level, because
    /// another level would replace it before the check (SPEC 9).
    func wakeShortly() {
        let level = UInt8.random(in: 1...min(127, max(1, limits.sustained)), using: &random)
        let driven = Int.random(in: 1...80, using: &random)
        let pause = BoardTime.random(in: 0...40_000, using: &random)
        let endsWrongly = random.chance(oneIn: 2)
        let fault: ChipFault = random.chance(oneIn: 3) ? .nack(bytes: 1) : .damage(bits: 0x80)
        record(
            "short wake-ups: \(level) for \(driven) x 250 us, \(fault), at the end: \(endsWrongly)")
        allow(seconds: Allowance.wrongLevel)
        let end = endsWrongly ? Self.level(0, ticks: driven) : Self.level(level, ticks: 16_383)
        for _ in 0..<Int.random(in: 20...200, using: &random) {
            begin([0xB0, level] + end + [0xF3, 1], tick: 250)
            if endsWrongly {
                link.run(limit: 40_000) { $0.board.driveChanges.contains { $0.drive != 0 } }
            } else {
                link.run(for: 7_500)
            }
            board.chip(0, fault)
            link.run(for: 250 * BoardTime(driven))
            carryOut(.close(stream: 0))
            link.run(for: pause)
            judge()
        }
        // The condition that disabled the chip has ended.
        carryOut(.configure(limits, actuator: 0))
        link.run(for: 60_000)
    }
}
