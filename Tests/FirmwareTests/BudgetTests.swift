// The energy budget (SPEC 8): levels are limited but never delayed, and the host can predict the
// limit.

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

    /// The tolerance of a predicted time, in milliseconds: levels are limited only at the end of a
    /// counting step.
    private let step = 1.1

    /// Plays a stream. Returns the level changes on the bus, with times in milliseconds from its
    /// start.
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
        // The budget is 73 << 16; full level uses 255 x 255 - 128 x 128 of it in 1.024 ms.
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
    /// The ticks are 64 us long; the drop lasts `ticks` of the 16 ticks of a period.
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
        // The energy above 32 x 32, which is allowed continuously, must not exceed a budget of 20
        // << 16 steps of 1,024 us.
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
        // 80 ms full level, 250 ms rest, 80 ms full level: within the budget only because of the
        // rest.
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
        // 150 ms full level, 300 ms level 40, then full level again.
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

    private static let small: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (64, 100)
        return configuration
    }()

    /// Returns the maximum heat of the actuator of ``small`` since `start`, as a fraction of its budget.
    private func greatestHeat(_ bench: Bench, since start: BoardTime) -> Double {
        var (heat, greatest, time, drive) = (0.0, 0.0, start, 0.0)
        for change in bench.board.driveChanges {
            heat += (drive * drive - 64 * 64) * Double(change.time - time) / 1_024
            heat = max(0, heat)
            greatest = max(greatest, heat)
            (time, drive) = (change.time, Double(change.drive))
        }
        return greatest / (100 * 65_536)
    }

    /// Checks a chip that retains full level and cannot be reset, either because it acknowledges nothing or
    /// because it is asleep when it acknowledges. A host repeatedly starts its setup by HELLO or CONFIGURE,
    /// and the chip drives the retained level whenever EN is high.
    @Test(arguments: [false, true], [(UInt32.max, 0), (12, 300)] as [(UInt32, UInt32)])
    func aChipThatCannotBeResetIsSetUpWithinTheBudget(
        configures: Bool, fault: (nacks: UInt32, wakeTime: UInt32)
    ) {
        let bench = Bench.connected(Self.small)
        let start = bench.play([0xB0, 255, 0xF1, 0xB0, 0x09, 0x00])
        bench.run(to: start + 20_000)
        drv2605_model_inject_nack(bench.chip, fault.nacks)
        bench.chip.pointee.wake_time_us = fault.wakeTime
        bench.provoked = [.staleStart]
        for session in UInt32(1)...2_000 {
            if configures {
                bench.command(0x48, [0] + Self.small.bytes)
            } else {
                bench.connect(session: session)
            }
            bench.run(for: configures ? 1_500 : 10_000)
        }
        let heat = greatestHeat(bench, since: start)
        #expect(heat > 0.1, "the chip has retained its level")
        #expect(heat < 1.03 + 0.06)
        #expect(!bench.status().faults.contains(.budget))
    }

    /// Checks that a start adds three units to the stored heat (SPEC 8.2) without overflowing 16 bits.
    @Test(arguments: [(0, 3), (5, 8), (65_533, 65_535)] as [(UInt16, UInt16)])
    func aHeatThatWasKeptIsThreeUnitsHigher(kept: UInt16, heat: UInt16) {
        let bench = Bench.connected(Self.small)
        bridge_load_heat(bench.board.core, 0, kept)
        #expect(bridge_heat(bench.board.core, 0) == heat)
    }

    /// Checks a level that was rendered before the chip was reset during its wake-up and set up again. The
    /// additional drive has exhausted the actuator's budget.
    @Test func aLevelThatWaitsForASetUpKeepsToTheBudget() {
        var configuration = Self.small
        configuration.sustained = 16
        let bench = Bench.connected(configuration)
        bench.load([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.forget()
        // The failing transfer uses up 3 << 16 of the budget, and the setup uses up the rest.
        bench.board.core.pointee.actuators.0.heat = (100 << 16) - (3 << 16) - 14_000
        let scale = (250 << 24 as UInt32).bytes
        let start = bench.board.deviceClock(at: bench.now + 1_000).bytes
        bench.send(bench.nextCommand(0x42, [0, 0, 0] + start + scale))
        bench.run(toTransaction: 3)
        drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
        bench.run(limit: 50_000) { bench.drive != 0 }
        #expect(bench.drive == 16)
        #expect(!bench.status().faults.contains(.budget))
    }

    /// Checks pulses in which the first write of each falling edge is not acknowledged. The chip stays at full
    /// level until the write is repeated, which takes several rounds of the port; in one case a round lasts 10
    /// ms.
    @Test(
        arguments: [
            (.attentive, on: 3, off: 1),
            (.init(interval: 10_000, isAttentive: false, pollsMost: 1), 20, 380),
        ] as [(InProcessBoard.Port, on: Int, off: Int)])
    func aFallThatIsNotAcknowledgedCounts(port: InProcessBoard.Port, on: Int, off: Int) {
        let bench = Bench.connected(Self.small, port)
        let board = bench.board
        var isRepeated = false
        board.onTransfer = { [unowned board] _ in
            let transfer = board.core.pointee.transfer
            guard transfer.reg == 0x02, !transfer.is_read, transfer.value == 0 else { return }
            if !isRepeated { drv2605_model_inject_nack(board.chip, 1) }
            isRepeated.toggle()
        }
        let pulses = (0..<30).flatMap { pulse in
            [
                StreamEvent(.level(255), at: pulse * (on + off)),
                StreamEvent(.level(0), at: pulse * (on + off) + on),
            ]
        }
        let start = bench.play(EventStreamEncoder.encode(pulses))
        bench.run(to: start + 3_200_000)
        #expect(greatestHeat(bench, since: start) < 1.03 + 0.06)
    }

    /// Checks wake-ups that are too short for the periodic check of the chip. Each plays a level that is
    /// corrupted but acknowledged. The level must be read back before it is overwritten.
    @Test func aDamagedLevelIsNoticedHoweverShortTheWakingIs() {
        let bench = Bench.connected(Self.small)
        bench.provoked = [.damagedBytes]
        bench.board.onTransfer = { [unowned board = bench.board] _ in
            let transfer = board.core.pointee.transfer
            guard transfer.reg == 0x02, !transfer.is_read, transfer.value == 120 else { return }
            drv2605_model_inject_damage(board.chip, 0x80)
        }
        let begun = bench.now
        for _ in 0..<120 {
            bench.command(0x40, [0, 1, 0, 0, 0])
            bench.command(0x44, [0, 0, 0xB0, 120, 0xF1, 0xFF, 0x7F, 0x00])
            bench.start(at: bench.now + 2_000)
            bench.command(0x41, [0])
        }
        #expect(greatestHeat(bench, since: begun) < 1.03 + 0.06)
        #expect(bench.status().faults.contains(.bus))
    }

    /// Checks wake-ups in which the first byte written is corrupted, and no level is played. No byte written
    /// during a wake-up may set a level, because the first level of a stream would otherwise hide the error.
    @Test func noDamagedByteOfAWakingDrives() {
        let bench = Bench.connected(Self.small)
        bench.provoked = [.damagedBytes, .undefinedAccess]
        for bit in 0..<8 {
            bench.command(0x40, [0, 1, 0, 0, 0])
            bench.command(0x44, [0, 0, 0xB0, 0, 0xF1, 0xFF, 0x7F, 0x00])
            drv2605_model_inject_damage(bench.chip, 1 << bit)
            bench.start(at: bench.now + 20_000)
            bench.run(for: 40_000)
            bench.command(0x41, [0])
        }
        #expect(bench.board.driveChanges.allSatisfy { $0.drive == 0 })
    }

    /// Checks a stream that waits for an actuator which must cool before it is set up.
    @Test func silenceEndsAStreamThatWaitsForASetUp() {
        let bench = Bench.connected(Self.small)
        bench.board.core.pointee.actuators.0.heat = 200 << 16
        bench.run(for: 5_000)
        #expect(bench.command(0x48, [0] + Self.small.bytes) == nil)
        bench.load([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        #expect(bench.start(at: bench.now + 5_000) == nil)
        bench.keepsAlive = false
        bench.run(for: 300_000)
        #expect(UInt32(bench.actuator.state) == BRIDGE_ACTUATOR_STARTING.rawValue)
        #expect(bench.status().deadManTrips == 1)
        #expect(bench.streamStatus().state == .closed)
    }

    /// Checks that the chip is disabled if it has stored a corrupted level after the budget was exhausted,
    /// because continuing would exceed the budget.
    @Test func aDamagedLevelOverTheBudgetShutsTheChipDown() {
        let bench = Bench.connected(Self.small)
        let start = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 200_000)
        #expect(bench.drive == 64)
        drv2605_model_inject_damage(bench.chip, 50 ^ 255)
        #expect(bench.command(0x46, [1, 0, 50]) == nil)
        bench.run(for: 110_000)
        #expect(bench.board.driveChanges.suffix(2).map(\.drive) == [255, 0])
        #expect(bench.status().faults == [.budget, .readBack])
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
        #expect(use.first { $0.share == 1 && $0.time >= predicted! }?.time == predicted)
        #expect(use.first?.share ?? 1 < 0.1 && use.allSatisfy { 0...1 ~= $0.share })
        let bench = Bench.connected(configuration)
        let start = bench.play(EventStreamEncoder.encode(events))
        bench.run(to: start + 2_000_000)
        let first = bench.playedLevels(from: start).first { $0.value == 128 }
        let time = Double(try #require(first).time) / 1_000
        #expect(abs(time - expected) <= 4 * step)
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

    /// A bit of a small level flips in transit, so that the chip drives the negative full level.
    @Test func aLevelThatWasDamagedCountsByItsMagnitude() {
        var configuration = ActuatorConfiguration(
            kind: .erm, resonance: 0, rated: 2_000, overdrive: 2_500, chip: .drv2605L, loop: .open)
        (configuration.sustained, configuration.budget) = (32, 2_000)
        let bench = Bench.connected(configuration)
        bench.play([0xB0, 4, 0xF1, 0xFF, 0x7F, 0x00])
        bench.run(for: 100_000)
        #expect(bridge_heat(bench.board.core, 0) == 0)
        drv2605_model_inject_damage(bench.board.chip, 0x80)
        bench.command(0x46, [1, 0, 128])
        bench.run(for: 300_000)
        #expect(bench.status().faults == .bus)
        // 150 steps of level -127 of 127, minus the cooling in the meantime.
        #expect((220...260).contains(bridge_heat(bench.board.core, 0)))
    }

    /// Checks different intervals, because some ports call the core as often as they can, and
    /// others only every 50 ms.
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
