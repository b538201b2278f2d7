// Tests of the images with an actuator whose frequency follows the sharpness (SPEC 8.9): the times
// of frequencies and levels, the energy budget, and boards that must reject this configuration.

import BridgeLink
import DRV2605
import Foundation
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing
import VirtualBoard

@Suite struct BandImageTests {
    /// Returns levels at equal intervals. The frequency of each level differs from the previous
    /// frequency.
    private func levels(
        _ count: Int, every spacing: Ticks, _ level: (Int) -> UInt8
    ) -> [StreamEvent] {
        var events: [StreamEvent] = []
        for index in 0..<count {
            let sharpness = UInt8(index * 83 % 256)
            let content = StreamEvent.Content.levelSharpness(
                level: level(index), sharpness: sharpness)
            events.append(StreamEvent(content, at: Ticks(index) * spacing))
        }
        events.append(StreamEvent(.end, at: Ticks(count) * spacing))
        return events
    }

    /// Checks that the onset of a level with a new frequency is as exact as the onset of any other
    /// level.
    @Test(arguments: BoardSimulator.here)
    func aNewFrequencyDoesNotDelayItsLevel(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator, .wideBand)
        #expect(rig.welcome?.features.contains(.band) == true)
        let count = 200
        let spacing: Ticks = 29
        let events = levels(count, every: spacing) { $0 % 2 == 0 ? 200 : 120 }
        rig.board.forgetTrace()
        rig.link.begin(EventStreamEncoder.encode(events))
        rig.link.run(limit: 4_000_000) { $0.current?.outcome != nil }
        #expect(try rig.link.current?.outcome?.get() == .played)
        let start =
            rig.board.trace.cycle(
                ofDeviceClock: try #require(rig.link.current?.progress.startTime)) ?? 0
        let writes = rig.board.trace.transactions.compactMap { transaction -> (Cycle, UInt8)? in
            guard transaction.isAcknowledged, transaction.bytes.count == 3 else { return nil }
            return [0x02, 0x20].contains(transaction.bytes[1])
                ? (transaction.start, transaction.bytes[1]) : nil
        }
        let pairs = zip(writes, writes.dropFirst()).filter { $0.1 == 0x20 && $1.1 == 0x02 }
        #expect(pairs.count == count)
        let errors = pairs.enumerated().map { index, pair in
            let due = start + simulator.cycles(BoardTime(index) * BoardTime(spacing) * 250)
            return simulator.microseconds(pair.1.0 - due)
        }
        let leads = pairs.map { simulator.microseconds($0.1.0 - $0.0.0) }
        let sorted = errors.map(abs).sorted()
        print(
            "band_onset_us_p50_\(simulator.name) \(sorted[count / 2]) p99 \(sorted[count * 99 / 100])",
            "max \(sorted.last!) lead \(leads.min()!)...\(leads.max()!)")
        #expect(sorted[count / 2] <= 2.5)
        #expect(sorted.last! < 120)
        #expect(leads.allSatisfy { (250...410).contains($0) })
        #expect(try rig.link.status().faults.isEmpty)
    }

    /// Checks that the energy budget also limits an actuator with a frequency band, at any
    /// frequency.
    @Test(arguments: BoardSimulator.here)
    func theBudgetHoldsWhileTheFrequencyChanges(_ simulator: BoardSimulator) throws {
        var configuration = ActuatorConfiguration.wideBand
        (configuration.sustained, configuration.budget) = (32, 500)
        let rig = try ImageRig(simulator, configuration)
        let events = levels(200, every: 40) { _ in 255 }
        rig.board.forgetTrace()
        let start = rig.board.now
        rig.link.begin(EventStreamEncoder.encode(events))
        rig.link.run(limit: 5_000_000) { $0.current?.outcome != nil }
        #expect(try rig.link.status().faults.contains(.budget))
        #expect(rig.timeAbove(34, since: start) < 530_000)
        // The frequency still follows the sharpness while the level is limited.
        let last = rig.board.transactions.last { $0.write?.register == 0x20 }
        #expect((last?.end ?? 0) > start + 1_900_000)
    }

    /// Checks that a board refuses to drive a wide-band actuator if the chip has no register for
    /// the frequency.
    @Test(arguments: BoardSimulator.here)
    func aDRV2605WithoutLIsRefused(_ simulator: BoardSimulator) throws {
        let rig = try ImageRig(simulator, .wideBand, options: ["--chip", "3"])
        #expect(try rig.link.actuator().state == .fault)
        #expect(try rig.link.status().faults.contains(.wrongChip))
    }

    /// Checks that the ATmega328P's image for several actuators does not support bands.
    @Test(.enabled(if: ConformanceBoard.simulated.absence == nil))
    func theImageForSeveralActuatorsOfTheReferenceBoardRefusesABand() throws {
        let rig = try SeveralActuatorsRig(LockStepBoard.several(.atmega328p))
        #expect(rig.link.session.welcome?.features.contains(.band) == false)
        let reject = try rig.link.carryOut(.configure(.wideBand, actuator: 0))
        #expect(reject?.code == .range && reject?.offset == 1)
    }
}
