// Tests of the energy budget (SPEC 8): the budget limits levels but never delays them, and the host
// can predict the limitation.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct BudgetTests {
    /// A configuration that allows half level continuously, and full level for 100 ms.
    private static let budgeted: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (128, 73)
        return configuration
    }()

    /// The tolerance of a predicted time, in milliseconds, because levels are limited only at the
    /// end of a counting step.
    private let step = 1.1

    /// Plays a stream. Returns the level changes on the bus, with times in milliseconds from the
    /// start of the stream.
    private func played(
        _ code: [UInt8], _ configuration: ActuatorConfiguration = budgeted
    ) -> (bench: Bench, levels: [(time: Double, value: UInt8)]) {
        let bench = Bench.connected(configuration)
        let start = bench.play(code)
        bench.run(to: start + 2_000_000)
        var levels: [(time: Double, value: UInt8)] = []
        for level in bench.playedLevels(from: start) where level.value != levels.last?.value {
            levels.append((Double(level.time) / 1_000, level.value))
        }
        return (bench, levels)
    }

    /// A stream that holds level 255 for 300 ms.
    private let full: [UInt8] = [0xB0, 255, 0xF1, 0xB0, 0x09, 0x00]

    @Test func fullLevelIsHeldBackOnceTheBudgetIsUsedUp() throws {
        let (bench, levels) = played(full)
        #expect(levels.map(\.value) == [255, 128, 0])
        // The budget is 73 << 16. In 1.024 ms, full level uses up 255 x 255 - 128 x 128 of the
        // budget.
        #expect(abs(levels[1].time - 98.36 * 1.024) <= step)
        #expect(abs(levels[2].time - 300) <= 0.1, "the budget does not change the timing")
        #expect(bench.status().faults == .budget)
        #expect(bench.isAtRest())
    }

    @Test func theLevelThatIsAllowedForEverIsNeverHeldBack() {
        let (bench, levels) = played([0xB0, 128, 0xF1, 0xA0, 0x1F, 0x00])
        #expect(levels.map(\.value) == [128, 0])
        #expect(bench.status().faults.isEmpty)
    }

    @Test func powersAreCountedExactly() throws {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (100, 1)
        // Level 101 uses up the budget of 65,536 in 326.05 steps of 201 each.
        let barely: [UInt8] = [0xB0, 101, 0xF1, 0xA0, 0x1F, 0x00]
        let (_, levels) = played(barely, configuration)
        #expect(levels.map(\.value) == [101, 100, 0])
        #expect(abs(levels[1].time - 326.05 * 1.024) <= 2 * step)
        #expect(played([0xB0, 100, 0xF1, 0xA0, 0x1F, 0x00], configuration).levels.count == 2)
    }

    /// Plays full level with a short drop to 0 in each 1,024 us, at every phase of the device's own
    /// steps.
    ///
    /// A tick lasts 64 us. The drop lasts for `ticks` of the 16 ticks in a period.
    @Test(arguments: 0..<16, [2, 8, 14])
    func whatIsDrivenBetweenDipsCounts(phase: Int, ticks: Int) throws {
        var events: [StreamEvent] = []
        for period in 0..<200 {
            events.append(StreamEvent(.level(255), at: period * 16 + phase))
            events.append(StreamEvent(.level(0), at: period * 16 + phase + 16 - ticks))
        }
        events.append(StreamEvent(.end, at: 200 * 16 + phase))
        var configuration = Self.budgeted
        configuration.budget = 20
        configuration.sustained = 32
        let bench = Bench.connected(configuration)
        let start = bench.play(EventStreamEncoder.encode(events), scale: 64 << 24)
        bench.run(to: start + 400_000)
        let levels = bench.playedLevels(from: start)
        // The energy of level 32 (32 x 32) is permitted continuously. The energy above it must not
        // exceed a budget of 20 << 16 in steps of 1,024 us.
        let held = try #require(levels.first { $0.value == 32 })
        var (heat, time, value) = (0.0, 0.0, 0.0)
        for level in levels {
            let span = Double(min(level.time, held.time)) - time
            heat = max(0, heat + (value * value - 32 * 32) * span / 1_024)
            (time, value) = (Double(level.time), Double(level.value))
            if level.time >= held.time { break }
        }
        let limit = Double(20 << 16)
        #expect(heat > limit - 65_025 && heat < limit + 2.5 * 65_025)
    }

    @Test func withoutABudgetNothingIsHeldBack() {
        let (bench, levels) = played(full, .testLRA)
        #expect(levels.map(\.value) == [255, 0])
        #expect(bench.status().faults.isEmpty)
    }

    @Test func restGivesBackWhatWasUsed() throws {
        // Full level for 80 ms, rest for 250 ms, and full level for 80 ms are within the budget
        // only because of the rest.
        let rested: [UInt8] = [
            0xB0, 255, 0xB1, 0xC0, 0x02, 0, 0xB1, 0xE8, 0x07, 255, 0xB1, 0xC0, 0x02, 0, 0xF3, 0xC0,
            0x02,
        ]
        #expect(played(rested).levels.map(\.value) == [255, 0, 255, 0])
        var short = rested
        short.replaceSubrange(7...8, with: [0xA8, 0x00])  // 10 ms of rest
        #expect(played(short).levels.map(\.value) == [255, 0, 255, 128, 0])
    }

    @Test func whatIsHeldBackComesBackWhenLessWasAskedMeanwhile() {
        // The stream contains full level for 150 ms, level 40 for 300 ms, and then full level
        // again.
        let (bench, levels) = played([
            0xB0, 255, 0xB1, 0xD8, 0x04, 40, 0xB1, 0xB0, 0x09, 255, 0xF1, 0x90, 0x03, 0x00,
        ])
        #expect(levels.map(\.value).prefix(4) == [255, 128, 40, 255])
        #expect(bench.status().faults == .budget)
    }

    @Test func aRampIsCutOffAtTheLevelThatIsLeft() throws {
        let (_, levels) = played([
            0xB0, 255, 0xD1, 0xB0, 0x09, 0, 0xA0, 0x06, 0xF1, 0xA0, 0x06, 0x00,
        ])
        let cut = levels.drop { $0.time < 105 }
        #expect(cut.allSatisfy { $0.value <= 128 })
        let below = try #require(cut.first { $0.value < 128 })
        #expect(below.time > 395, "the ramp continues while its level is limited")
    }

    @Test func signedLevelsCountTwice() {
        var configuration = ActuatorConfiguration.signedLRA
        (configuration.sustained, configuration.budget) = (128, 73)
        let (_, levels) = played(full, configuration)
        #expect(levels.map(\.value) == [127, 64, 0])
        #expect(abs(levels[1].time - 99 * 1.024) <= 2 * step)
    }

    @Test func anOddSignedLevelIsHeldWithoutFlicker() {
        var configuration = ActuatorConfiguration.signedLRA
        (configuration.sustained, configuration.budget) = (129, 73)
        let (bench, levels) = played([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00], configuration)
        #expect(levels.map(\.value) == [127, 64, 0])
        #expect(bench.status().faultTotal == 1)
    }

    @Test func withoutALimitWhatWasBorneIsForgotten() {
        let bench = Bench.connected(Self.budgeted)
        let first = bench.play(full)
        bench.run(to: first + 1_000_000)
        var free = Self.budgeted
        free.sustained = 255
        #expect(bench.command(0x48, [0] + free.bytes) == nil)
        bench.run(for: 1_000_000)
        #expect(bench.command(0x48, [0] + Self.budgeted.bytes) == nil)
        #expect(bench.runToRest(limit: 50_000))
        bench.board.forgetTrace()
        let start = bench.play(full)
        bench.run(to: start + 400_000)
        let held = bench.playedLevels(from: start).first { $0.value == 128 }
        #expect(abs(Double(held?.time ?? 0) / 1_000 - 99 * 1.024) <= step)
    }

    @Test(arguments: 0..<6)
    func theHostKnowsTheMomentBefore(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var events: [StreamEvent] = []
        var tick = 0
        for _ in 0..<60 {
            let level = random.bytes(1)[0] | 0x80
            events.append(
                random.chance(oneIn: 3)
                    ? StreamEvent(.tap(intensity: 255, sharpness: level), at: tick)
                    : StreamEvent(.level(level), at: tick))
            tick += Int.random(in: 40...160, using: &random)
        }
        events.append(StreamEvent(.end, at: tick))
        let configuration = Self.budgeted
        let budget = EnergyBudget(sustained: 128, milliseconds: 73)
        let predicted = budget.firstExcess(in: events, tick: 250) {
            configuration.tapLength(sharpness: $0)
        }
        let expected = Double(try #require(predicted)) / 1_000
        let use = budget.use(in: events, tick: 250, every: 0) {
            configuration.tapLength(sharpness: $0)
        }
        #expect(use.first { $0.fraction == 1 && $0.time >= predicted! }?.time == predicted)
        #expect(use.first?.fraction ?? 1 < 0.1 && use.allSatisfy { 0...1 ~= $0.fraction })
        let bench = Bench.connected(configuration)
        let start = bench.play(EventStreamEncoder.encode(events))
        bench.run(to: start + 2_000_000)
        let first = bench.playedLevels(from: start).first { $0.value == 128 }
        let time = Double(try #require(first).time) / 1_000
        #expect(abs(time - expected) <= 4 * step)
    }

    /// Checks that a start adds three units to the stored heat (SPEC 8.2) without overflowing 16 bits.
    @Test(arguments: [(0, 3), (5, 8), (65_533, 65_535)] as [(UInt16, UInt16)])
    func aHeatThatWasKeptIsThreeUnitsHigher(kept: UInt16, heat: UInt16) {
        let bench = Bench.connected(Self.budgeted)
        bridge_load_heat(bench.board.core, 0, kept)
        #expect(bridge_heat(bench.board.core, 0) == heat)
    }

    @Test func whatWasBorneOutlivesAResetOfTheController() {
        let bench = Bench.connected(Self.budgeted)
        bench.run(to: bench.play(full) + 50_000)
        let heat = bridge_heat(bench.board.core, 0)
        #expect(heat > 0)
        bridge_init(bench.board.core)
        bridge_load_heat(bench.board.core, 0, heat)
        // The energy since the port last stored the heat is unknown, so the maximum is assumed.
        #expect(bridge_heat(bench.board.core, 0) == heat + 3)
        bridge_load_heat(bench.board.core, 0, .max)
        #expect(bridge_heat(bench.board.core, 0) == .max)
    }

    /// Checks different intervals, because some ports call the core as often as possible and other
    /// ports call it only every 50 ms.
    @Test(arguments: [1, 2, 5, 10, 50, 500, 9_000] as [Int])
    func theBudgetDoesNotDependOnHowOftenItIsAskedFor(milliseconds: Int) {
        var actuator = Bench.connected(Self.budgeted).actuator
        (actuator.driven, actuator.driven_us, actuator.work) = (255, 0, 0)
        let step = milliseconds * 1_000
        var (time, isOver) = (0, false)
        actuator.heat_us = 0
        while !isOver, time < 20_000_000 {
            time += step
            isOver = actuator_update_thermal_budget(&actuator, UInt32(time))
        }
        let expected = 99 * 1_024
        #expect(isOver)
        #expect(time >= expected - 2_000 && time <= expected + step + 1_024)
    }
}
