// Tests of a bus that loses one or several transfers, beginning at each transfer in turn (SPEC 9).
// The actuator is never driven for longer than specified, and no unintended value is written to a
// register.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct BusFaultTests {
    /// Returns true if the patterns in this suite may write this value to this register.
    private func isMeant(_ write: [UInt8]) -> Bool {
        let image = ActuatorConfiguration.testLRA.image
        return switch write[0] {
        case 0x01: [0x80, 0x45, 0x05].contains(write[1])
        case 0x02: [0, 120, 250].contains(write[1])
        case 0x03, 0x16...0x20: write[1] == image[write[0]]
        default: false
        }
    }

    private func expectMeant(_ bench: Bench, _ place: SourceLocation = #_sourceLocation) {
        let strange = bench.writes.filter { !isMeant($0) }
        #expect(strange.isEmpty, sourceLocation: place)
    }

    @Test(arguments: 0..<8)
    func aLostTransferAnywhereInTheStartIsRecovered(part: Int) {
        // Loses one to nine bytes, beginning at each of the roughly 40 transfers of the start.
        for index in 0..<5 {
            for bytes in [1, 2, 3, 6, 9] as [UInt32] {
                let bench = Bench()
                let count = part * 5 + index
                bench.run(toTransaction: count)
                drv2605_model_inject_nack(bench.chip, bytes)
                bench.connect()
                bench.run(for: 60_000)
                let state = bench.actuatorStatus().state
                #expect(state == .atRest || state == .fault)
                if bytes < 3 { #expect(state == .atRest, "\(bytes) bytes from transfer \(count)") }
                #expect((bridge_enabled(bench.board.core) == 0) == (state == .fault))
                #expect(bench.board.driveChanges.isEmpty)
                expectMeant(bench)
            }
        }
    }

    @Test(arguments: 0..<10)
    func aStormAnywhereInAPatternLeavesNothingDriven(part: Int) {
        // Plays a level and two taps for 60 ms in total, and loses `bytes` bytes from the beginning
        // of one transfer on.
        for index in 0..<3 {
            for bytes in [1, 2, 3, 4, 8, 30] as [UInt32] {
                let bench = Bench.connected()
                let start = bench.play(
                    [0xB0, 120, 0x91, 40, 250, 255, 0x91, 80, 250, 255, 0xF1, 80, 0x00])
                let count = part * 3 + index
                bench.run(toTransaction: count)
                drv2605_model_inject_nack(bench.chip, bytes)
                bench.run(to: start + 250_000)
                let state = bench.actuatorStatus().state
                #expect(state == .atRest || state == .fault, "\(bytes) from \(count)")
                #expect(bench.drive == 0)
                // The level and the taps end at 50 ms. After an error, there are at most three
                // attempts, 500 us apart.
                let last = bench.board.driveChanges.last?.time ?? start
                #expect(last <= start + 50_000 + 4_000, "\(bytes) from \(count)")
                if bytes < 3 {
                    #expect(state == .atRest, "\(bytes) from \(count)")
                    #expect(bench.status().chipResets == 0)
                }
                expectMeant(bench)
            }
        }
    }

    @Test(arguments: [0, 10_000, 12_000, 30_000, 49_000, 50_100, 60_000] as [BoardTime])
    func aBusThatIsBrokenForGoodEndsInENLow(moment: BoardTime) {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 120, 0x91, 40, 250, 255, 0xF1, 0xA0, 0x01, 0x00])
        bench.run(to: start + moment)
        drv2605_model_inject_nack(bench.chip, .max)
        let broken = bench.now
        bench.run(for: 40_000)
        #expect(bridge_enabled(bench.board.core) == 0)
        #expect(bench.drive == 0)
        #expect(bench.status().faults.contains(.bus))
        #expect(bench.streamStatus().state == .closed)
        // A fault during a held level is detected at the next check of the chip, at most 33 ms
        // later.
        let last = bench.board.driveChanges.last?.time ?? 0
        #expect(last <= broken + 35_000)
        expectMeant(bench)
    }

    @Test func threeFailedWritesInARowEndInENLowAtOnce() throws {
        let bench = Bench.connected()
        // The stream contains a ramp to level 200 in two seconds, with a write every ten
        // milliseconds.
        let start = bench.play([0xD0, 200, 0xC0, 0x3E, 0xF1, 0xC0, 0x3E, 0x00])
        bench.run(to: start + 50_000)
        drv2605_model_inject_nack(bench.chip, .max)
        bench.run(for: 15_000)
        let failed = bench.board.transactions.filter { !$0.isAcknowledged }
        #expect(failed.count == 3)
        #expect(try #require(failed.last).end - #require(failed.first).start <= 500)
        #expect(bridge_enabled(bench.board.core) == 0)
    }

    @Test func stopOnABrokenBusEndsInENLowWithinTwoMilliseconds() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 120, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        drv2605_model_inject_nack(bench.chip, .max)
        let sent = bench.now
        bench.send(bench.wire(0x10, [1, bench.sequence] + bench.linkTotal.bytes))
        bench.run(to: sent + 480 + 2_000)
        #expect(bridge_enabled(bench.board.core) == 0)
        #expect(bench.drive == 0)
        #expect(bench.status().faults == [.bus, .rest])
    }

    @Test func aLevelThatDoesNotReadBackAsZeroEndsInENLow() {
        // The chip retains a level that no write can change. After three attempts, the board sets
        // EN low.
        let bench = Bench.connected()
        let start = bench.play([0xB0, 120, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        bench.board.forgetTrace()
        bench.send(bench.wire(0x10, [1, bench.sequence] + bench.linkTotal.bytes))
        let end = bench.now + 10_000
        while bench.now < end {
            withUnsafeMutableBytes(of: &bench.chip.pointee.registers) { $0[0x02] = 120 }
            bench.board.advance(to: bench.now + 10)
        }
        #expect(bridge_enabled(bench.board.core) == 0)
        #expect(bench.drive == 0)
        #expect(bench.status().faults == .rest)
        let attempts = bench.board.transactions.filter { $0.bytes == [0xB4, 0x02, 0xB5, 120] }
        // The first transfer is the check before the stop.
        #expect(attempts.count == 4)
        #expect(attempts[3].end - attempts[0].end < 2_000)
    }

    @Test func aStandbyThatDoesNotReadBackEndsInENLow() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 120, 0xF1, 40, 0x00])
        bench.run(to: start + 20_000)
        let end = bench.now + 60_000
        while bench.now < end {
            withUnsafeMutableBytes(of: &bench.chip.pointee.registers) { $0[0x01] = 0x05 }
            bench.board.advance(to: bench.now + 10)
        }
        #expect(bridge_enabled(bench.board.core) == 0)
        #expect(bench.status().faults == .rest)
    }

    @Test func aSingleLostWriteIsRepeatedAtOnce() {
        // In each run, one write is lost: the write of the level, of the tap or of the tap's end.
        // The next transfer repeats the write.
        for (time, value) in [(0, 120), (10_000, 250), (15_882, 120)] as [(BoardTime, UInt8)] {
            let bench = Bench.connected()
            let start = bench.play([0xB0, 120, 0x91, 40, 250, 255, 0xF1, 0x90, 0x03, 0x00])
            bench.run(to: start + time - 10)
            drv2605_model_inject_nack(bench.chip, 1)
            bench.run(to: start + time + 5_000)
            let write = bench.playedLevels(from: start).last
            #expect(write == LevelWrite(time: time + 73, value: value))
            #expect(bench.status().busErrors == 1)
            #expect(bench.status().faults == .bus)
            expectMeant(bench)
        }
    }

    /// The cause of a rise of EN on a chip that has kept its power and therefore its last level.
    enum Rise: CaseIterable { case reset, session }

    @Test(arguments: Rise.allCases)
    func aChipThatDoesNotTakeItsResetIsDisabledAtOnce(rise: Rise) throws {
        let bench = Bench.connected()
        bench.provoked = [.staleStart]
        let start = bench.play([0xB0, 120, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        drv2605_model_inject_nack(bench.chip, .max)
        switch rise {
        case .reset: bench.board.reset(cause: BRIDGE_RESET_WATCHDOG)
        case .session:
            bench.run(for: 40_000)
            #expect(bench.drive == 0, "the actuator is in fault, and EN is low")
            bench.connect(session: 77)
        }
        bench.run(for: 100_000)
        #expect(bridge_enabled(bench.board.core) == 0)
        // The chip may be slow to answer, so the board tries again several times, with a slightly
        // longer delay before each attempt.
        let changes = bench.board.driveChanges.suffix(14)
        #expect(changes.map(\.drive) == Array([[Int]](repeating: [120, 0], count: 7).joined()))
        let times = changes.map(\.time)
        let driven = stride(from: 0, to: 14, by: 2).map { times[$0 + 1] - times[$0] }
        #expect(driven.allSatisfy { $0 <= 2_000 })
        #expect(driven == driven.sorted())
        #expect((10_000...20_000).contains(times[13] - times[0]))
    }
}
