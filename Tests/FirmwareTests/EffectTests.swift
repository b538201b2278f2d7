// ROM effects (SPEC 7, EFFECT): played where the configuration allows them, ended by what follows.
//
// The level that ends an effect is written before the mode changes, so that it holds at once; the
// model counts that as a start with a level, on purpose here (`staleStart`).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import TestSupport
import Testing
import VirtualBoard

@Suite struct EffectTests {
    /// What follows the wake of a bench with ROM effects.
    private func played(_ events: [UInt8], for time: BoardTime = 400_000) -> (Bench, [[UInt8]]) {
        let bench = Bench.connected(.effectLRA)
        let start = bench.play(events)
        bench.run(to: start + time)
        let writes = bench.board.transactions.filter {
            $0.start >= start && $0.bytes.count == 3
        }
        return (bench, writes.map { Array($0.bytes[1...]) })
    }

    @Test func anEffectIsStartedInItsModeAndEndedByTheNextLevel() {
        // Effect 47; 100 ticks later level 100; 100 ticks later END.
        let (bench, writes) = played([0xF0, 0x13, 47, 0xB1, 100, 100, 0xF4, 0x00])
        #expect(
            writes.prefix(6) == [
                [0x04, 47], [0x01, 0x00], [0x0C, 1],  // waveform, mode, go
                [0x0C, 0], [0x02, 50], [0x01, 0x05],  // go off, level 100 of 7 bits, back
            ])
        #expect(bench.status().faults.isEmpty)
        #expect(bench.isAtRest())
        bench.provoked = [.staleStart]
    }

    @Test func aTapEndsAnEffectAndTheRampShowsAfterIt() {
        let (bench, writes) = played(
            [0xB0, 60, 0xF1, 40, 0x13, 47, 0x91, 80, 200, 255, 0xF1, 0x90, 3, 0x00])
        #expect(
            writes.prefix(8) == [
                [0x02, 30], [0x04, 47], [0x01, 0x00], [0x0C, 1], [0x0C, 0], [0x02, 100],
                [0x01, 0x05], [0x02, 30],
            ])
        bench.provoked = [.staleStart]
    }

    @Test func anEffectEndsTheOneBeforeIt() {
        let (bench, writes) = played(
            [0xF0, 0x13, 16, 0xF1, 20, 0x13, 17, 0xF4, 0x13, 18, 0xF1, 40, 0x00])
        #expect(
            writes.prefix(11) == [
                [0x04, 16], [0x01, 0x00], [0x0C, 1], [0x0C, 0], [0x04, 17], [0x01, 0x00],
                [0x0C, 1], [0x0C, 0], [0x04, 18], [0x01, 0x00], [0x0C, 1],
            ])
        #expect(bench.isAtRest())
    }

    @Test(arguments: [0, 124, 255] as [UInt8])
    func anEffectThatNoChipHasIsSkipped(effect: UInt8) {
        let (bench, writes) = played([0xF0, 0x13, effect, 0xF1, 20, 0x00])
        #expect(!writes.contains { $0[0] == 0x04 })
        #expect(bench.status().faults == .event)
    }

    @Test func anEffectIsRefusedWithoutALibraryOrSignedLevels() {
        for configuration in [ActuatorConfiguration.coinLRA, .withoutLibrary] {
            let bench = Bench.connected(configuration)
            #expect(bench.actuatorStatus().romEffects == 0)
            let start = bench.play([0xF0, 0x13, 47, 0xF1, 40, 0x00])
            bench.run(to: start + 100_000)
            #expect(!bench.writes.contains { $0[0] == 0x04 || $0 == [0x0C, 1] })
            #expect(bench.status().faults == .event)
        }
        #expect(Bench.connected(.effectLRA).actuatorStatus().romEffects == 123)
    }

    @Test func stopEndsAnEffectWithinAMillisecond() {
        let bench = Bench.connected(.effectLRA)
        let start = bench.play([0xF0, 0x13, 47, 0xF1, 0xFF, 0x7F, 0x00])
        bench.run(to: start + 30_000)
        #expect(drv2605_model_is_going(bench.chip, UInt64(bench.now)))
        bench.stop(id: 1)
        let off = bench.board.transactions.last { $0.bytes == [0xB4, 0x0C, 0] }
        #expect(off != nil)
        #expect(bench.drive == 0)
        #expect(bench.runToRest(limit: 100_000))
    }

    @Test func muteEndsAnEffectAndKeepsOthersFromStarting() {
        let bench = Bench.connected(.effectLRA)
        let start = bench.play(
            [0xF0, 0x13, 47, 0xF1, 0xA0, 0x06, 0x13, 16, 0xF4, 0x13, 17, 0xF4, 0x00])
        bench.run(to: start + 50_000)
        #expect(bench.drive != 0)
        bench.ask(0x11, [1, 1, 0, 1])
        #expect(bench.drive == 0)
        bench.board.forgetTrace()
        bench.run(to: start + 350_000)
        #expect(bench.board.driveChanges.isEmpty)
        #expect(!bench.writes.contains([0x0C, 1]))
        bench.ask(0x11, [2, 1, 0, 0])
        bench.run(to: start + 450_000)
        #expect(bench.writes.contains([0x0C, 1]))
        bench.run(to: start + 900_000)
        #expect(bench.status().faults.isEmpty)
        #expect(bench.isAtRest())
    }

    @Test(arguments: stride(from: 0, to: 400, by: 24).map { BoardTime($0) })
    func gainReachesALevelThatIsJustEndingAnEffect(offset: BoardTime) {
        // Three writes end the effect at 25 ms; the gain comes before, between and after them.
        let bench = Bench.connected(.effectLRA)
        let start = bench.play([0xF0, 0x13, 47, 0xB1, 100, 200, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 24_900 + offset)
        let clock = bench.board.deviceClock(at: bench.now)
        for byte in bench.nextCommand(0x46, [1, 0, 102]) {
            bridge_receive(bench.board.core, byte, clock)
        }
        bench.run(for: 1_000)
        #expect(bench.chip.pointee.registers(0x02) == 40)  // (200 * 102 + 127) / 255, 7 bits
        bench.provoked = [.staleStart]
    }

    @Test func effectsThatAreLateAreNotReplayedInABurst() {
        // Started 200 ms late: of ten effects, 20 ms apart, only those to come are played.
        let bench = Bench.connected(.effectLRA)
        bench.load([0xF1, 80, 0x13, 16, 0xF0, 0x11, 0x0D, 0xF1, 80, 0x00])
        bench.forget()
        let start = bench.now - 200_000
        #expect(bench.start(at: start) == nil)
        bench.run(for: 300_000)
        let played = bench.writes.filter { $0 == [0x0C, 1] }.count
        let skipped = Int(bench.status().skippedTaps)
        #expect(played + skipped == 15)
        #expect((9...10).contains(skipped))
    }

    @Test(arguments: 0..<6)
    func aWriteThatIsNotAcknowledgedIsRepeatedBeforeWhatFollows(lost: Int) {
        // Each write of an effect's beginning (0 to 2) and end (3 to 5), lost once.
        let bench = Bench.connected(.effectLRA)
        let start = bench.play([0xF0, 0x13, 47, 0xB1, 100, 100, 0xF4, 0x00])
        bench.run(to: start + (lost < 3 ? 0 : 25_000) - 10)
        bench.loseWrite(after: lost % 3)
        bench.run(to: start + 100_000)
        let writes = bench.board.transactions.filter { $0.start >= start && $0.isAcknowledged }
            .filter { $0.bytes.count == 3 }.map { Array($0.bytes[1...]) }
        #expect(
            writes.prefix(6) == [
                [0x04, 47], [0x01, 0], [0x0C, 1], [0x0C, 0], [0x02, 50], [0x01, 5],
            ])
        #expect(bench.core.counters.bus_errors == 1)
        #expect(bench.core.counters.chip_resets == 0)
        #expect(bench.isAtRest())
        bench.provoked = [.staleStart]
    }
}

extension ActuatorConfiguration {
    /// Signed levels, but no library.
    fileprivate static let withoutLibrary: ActuatorConfiguration = {
        var configuration = effectLRA
        configuration.image[0x03] = 0
        return configuration
    }()
}

extension Bench {
    /// Lets so many transfers pass, then loses the first byte of the next one.
    fileprivate func loseWrite(after count: Int) {
        run(toTransaction: board.transactions.count + count)
        drv2605_model_inject_nack(chip, 1)
    }
}
