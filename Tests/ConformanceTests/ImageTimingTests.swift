// Tests of levels that the image could not write in time, and of the times at which it writes them
// (SPEC 6, Lateness).

import BridgeLink
import CBridgeProtocol
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct ImageTimingTests {
    /// Checks a chip that holds SCL low, so that the chip is not ready until long after the start
    /// time of the stream. For any phase of the timer, the board must write the level as soon as
    /// the chip is ready, and STATUS must report the lateness of the level.
    @Test(arguments: BoardSimulator.here)
    func aLevelThatIsLateByTheChipsSetUpIsNotDelayedAndIsReported(_ simulator: BoardSimulator)
        throws
    {
        let rig = try ImageRig(simulator)
        var latest: BoardTime = 0
        for trial in 0..<120 {
            let late = try lateness(on: rig, pause: BoardTime(trial * 137))
            #expect(late.putOff < 5_000, "trial \(trial): delayed by \(late.putOff) us")
            latest = max(latest, late.told)
        }
        #expect(latest > 16_400, "the maximum lateness is only \(latest) us")
        let told = BoardTime(try rig.link.status().latest)
        #expect(abs(told - latest) < 1_000, "STATUS reports \(told) us instead of \(latest) us")
    }

    /// Disables the timer's interrupts for 20 ms. A comparison with the counter then mistakes an
    /// overdue write for a future write. The board must make the overdue write immediately, not
    /// only after the counter has wrapped around.
    @Test(.enabled(if: ConformanceBoard.simulated.absence == nil))
    func aWriteThatTheTimerTakesForOneToComeIsMadeUpFor() throws {
        let (mask, interrupts): (Int, UInt8) = (0x6F, 0x06)  // TIMSK1
        let rig = try ImageRig(.atmega328p)
        rig.link.begin(
            EventStreamEncoder.encode([
                StreamEvent(.level(100), at: 0), StreamEvent(.level(200), at: 400),
                StreamEvent(.end, at: 2_000),
            ]))
        rig.link.run(for: 60_000)
        let due = BoardTime(rig.board.traceTime(of: try rig.link.stream().startTime)) + 100_000
        rig.board.advance(to: due - 1_000)
        rig.board.poke(mask, 0)
        // Received bytes wake the board, because the timer cannot wake it.
        for step in 1...20 as ClosedRange<BoardTime> {
            rig.board.send([0], at: rig.board.now)
            rig.board.advance(to: due + step * 1_000)
        }
        rig.board.poke(mask, interrupts)
        rig.board.send([0], at: rig.board.now)
        rig.board.advance(to: due + 40_000)
        let write = try #require(
            rig.board.transactions.first { $0.write.map { $0 == (2, 200) } == true })
        #expect((20_000...22_000).contains(write.start - due), "\(write.start - due) us late")
    }

    /// Sets the chip up again and starts a stream immediately.
    ///
    /// - Returns: the lateness of the level, and the time from the previous transfer to the level,
    ///   both in microseconds.
    private func lateness(
        on rig: ImageRig, pause: BoardTime
    ) throws -> (told: BoardTime, putOff: BoardTime) {
        rig.board.chipStretchesClock(rig.board.simulator.cycles(Self.stretch))
        rig.board.advance(to: rig.board.now + 20_000 + pause)
        rig.link.listen(to: rig.board.drainSent())
        rig.board.forgetTrace()
        let all = ActuatorMask(index: 0)
        let events = EventStreamEncoder.encode([
            StreamEvent(.level(200), at: 0), StreamEvent(.end, at: 400),
        ])
        let commands: [Command] = [
            .configure(.coinLRA, actuator: 0), .open(Open(stream: 0, actuators: all)),
            .events(Events(stream: 0, bytes: events)),
            .start(Start(stream: 0, isRelative: true, time: 1_000)),
        ]
        for command in commands { rig.link.session.send(command) }
        rig.link.run(for: 60_000)
        let start = BoardTime(rig.board.traceTime(of: try rig.link.stream().startTime))
        let transactions = rig.board.transactions
        let index = try #require(
            transactions.firstIndex { $0.write.map { $0 == (2, 200) } == true })
        rig.board.chipStretchesClock(0)
        try rig.link.carryOut(.close(stream: 0))
        rig.link.run(for: 60_000)
        return (
            transactions[index].start - start,
            transactions[index].start - transactions[index - 1].end
        )
    }

    /// The time for which the chip holds SCL low after each acknowledgement, in microseconds.
    private static let stretch: BoardTime = 312
}
