// ROM effects (SPEC 7, EFFECT): played where the configuration allows them, ended by what follows.

import BridgeLink
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
        bench.checkChip()
    }

    @Test func aTapEndsAnEffectAndTheRampShowsAfterIt() {
        let (bench, writes) = played(
            [0xB0, 60, 0xF1, 40, 0x13, 47, 0x91, 80, 200, 255, 0xF1, 0x90, 3, 0x00])
        #expect(
            writes.prefix(8) == [
                [0x02, 30], [0x04, 47], [0x01, 0x00], [0x0C, 1], [0x0C, 0], [0x02, 100],
                [0x01, 0x05], [0x02, 30],
            ])
        bench.checkChip()
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
        bench.checkChip()
    }

    @Test(arguments: [0, 124, 255] as [UInt8])
    func anEffectThatNoChipHasIsSkipped(effect: UInt8) {
        let (bench, writes) = played([0xF0, 0x13, effect, 0xF1, 20, 0x00])
        #expect(!writes.contains { $0[0] == 0x04 })
        #expect(bench.status().faults == .event)
        bench.checkChip()
    }

    @Test func anEffectIsRefusedWithoutALibraryOrSignedLevels() {
        for configuration in [ActuatorConfiguration.coinLRA, .withoutLibrary] {
            let bench = Bench.connected(configuration)
            #expect(bench.actuatorStatus().romEffects == 0)
            let start = bench.play([0xF0, 0x13, 47, 0xF1, 40, 0x00])
            bench.run(to: start + 100_000)
            #expect(!bench.writes.contains { $0[0] == 0x04 || $0 == [0x0C, 1] })
            #expect(bench.status().faults == .event)
            bench.checkChip()
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
        bench.checkChip()
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
        bench.checkChip()
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
        bench.checkChip()
    }

    @Test func aWriteThatIsNotAcknowledgedIsRepeatedBeforeWhatFollows() {
        // Each write of an effect's beginning and end, lost once.
        for lost in 0..<6 {
            let bench = Bench.connected(.effectLRA)
            let start = bench.play([0xF0, 0x13, 47, 0xB1, 100, 100, 0xF4, 0x00])
            let bytes: [[UInt8]] = [[4, 47], [1, 0], [12, 1], [12, 0], [2, 50], [1, 5]]
            var seen = 0
            bench.run(to: start - 500)
            while bench.now < start + 100_000 {
                let due = lost < 3 ? start : start + 25_000
                if bench.now < due, bench.now + 20 >= due {
                    // All before the lost one pass: a write has three bytes.
                    bench.injectNack(afterWrites: lost % 3)
                }
                bench.board.advance(to: bench.now + 10)
                seen += 1
            }
            let writes = bench.board.transactions.filter { $0.start >= start && $0.bytes.count <= 3 }
                .filter(\.isAcknowledged).map { Array($0.bytes[1...]) }
            #expect(writes.filter(bytes.contains).prefix(6) == bytes[...], "lost \(lost)")
            #expect(bench.core.counters.bus_errors == 1, "lost \(lost)")
            #expect(bench.core.counters.chip_resets == 0, "lost \(lost)")
            bench.checkChip()
        }
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
    /// Lets so many transfers of the bus pass, then loses the first byte of the next one.
    fileprivate func injectNack(afterWrites count: Int) {
        let before = board.transactions.count
        while board.transactions.count < before + count { board.advance(to: now + 1) }
        drv2605_model_inject_nack(chip, 1)
    }
}
