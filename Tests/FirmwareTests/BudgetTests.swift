// The energy budget (SPEC 8): levels are held back, time never is, and the host knows it in
// advance.

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
    /// A configuration that tolerates half level for ever, and full level for 100 ms.
    private static let budgeted: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (128, 73)
        return configuration
    }()

    /// The tolerance of a predicted time, in milliseconds: levels are held back only at the end of
    /// a counting step.
    private let step = 1.1

    /// Plays a stream. Returns the changes of level on the bus, with times in milliseconds from its
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
        // The budget is 73 << 16, of which full level uses 255 x 255 - 128 x 128 in 1.024 ms.
        #expect(abs(levels[1].time - 98.36 * 1.024) <= step)
        #expect(abs(levels[2].time - 300) <= 0.1, "time is never changed")
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
        // The budget of 65,536 is used up in 326.05 steps by level 101, of which each adds 201.
        let barely: [UInt8] = [0xB0, 101, 0xF1, 0xA0, 0x1F, 0x00]
        let (_, levels) = played(barely, configuration)
        #expect(levels.map(\.value) == [101, 100, 0])
        #expect(abs(levels[1].time - 326.05 * 1.024) <= 2 * step)
        #expect(played([0xB0, 100, 0xF1, 0xA0, 0x1F, 0x00], configuration).levels.count == 2)
    }

    /// Plays full level with a dip in each 1,024 us, at every phase of the device's own steps.
    ///
    /// Ticks of 64 us; a dip lasts `ticks` of the 16 of a period.
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
        // Above 32 x 32, which is allowed for ever, and a budget of 20 << 16 steps of 1,024 us.
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
        // 80 ms full, 250 ms rest, 80 ms full: within the budget, but only because of the rest.
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
        // 150 ms full, 300 ms at 40, then full again.
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
        #expect(below.time > 395, "the ramp goes on unseen")
    }

    private static let small: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (64, 100)
        return configuration
    }()

    /// Returns the greatest heat that the actuator of ``small`` has had since `start`, in parts of its budget.
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

    /// Checks a chip that has kept full level and cannot be reset, because it acknowledges nothing or because
    /// it is asleep when it acknowledges. A host begins its set-up again and again, by HELLO or by CONFIGURE:
    /// it drives that level whenever EN is high.
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
        #expect(heat > 0.1, "the chip has kept its level")
        #expect(heat < 1.03 + 0.06)
        #expect(!bench.status().faults.contains(.budget))
    }

    /// Checks that three units are added at a start to what was kept (SPEC 8.2), and never too many for 16 bits.
    @Test(arguments: [(0, 3), (5, 8), (65_533, 65_535)] as [(UInt16, UInt16)])
    func aHeatThatWasKeptIsThreeUnitsHigher(kept: UInt16, heat: UInt16) {
        let bench = Bench.connected(Self.small)
        bridge_load_heat(bench.board.core, 0, kept)
        #expect(bridge_heat(bench.board.core, 0) == heat)
    }

    /// Checks a level that was rendered before the chip, reset while it woke, was set up again: by that the
    /// actuator has come over its budget.
    @Test func aLevelThatWaitsForASetUpKeepsToTheBudget() {
        var configuration = Self.small
        configuration.sustained = 16
        let bench = Bench.connected(configuration)
        bench.load([0xB0, 255, 0xF1, 0xA0, 0x1F, 0x00])
        bench.forget()
        // The transfer that fails uses up 3 << 16 of it, and the set-up the rest.
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

    /// Checks pulses of which each fall is not acknowledged at first: the chip stays at full level until the fall
    /// is written again, which takes rounds of the port, in one case of 10 ms each.
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

    /// Checks wakings that are too short for a look while they last, and of which each plays a level that is
    /// damaged though acknowledged: it is looked at before it is overwritten.
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

    /// Checks the same for wakings of which the first byte that is written is damaged, and no level is driven: no
    /// byte of a waking sets a level, which the first level of the stream would hide.
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

    /// Checks a stream that waits for an actuator which has to cool before it is set up.
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

    /// Checks that another level which the chip has taken ends what plays once the budget is used up: it would
    /// only exceed it.
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
        // What was borne since the port kept it last is not known, so it counts as the most.
        #expect(bridge_heat(bench.board.core, 0) == heat + 3)
        bridge_load_heat(bench.board.core, 0, .max)
        #expect(bridge_heat(bench.board.core, 0) == .max)
    }

    /// A bit of a small level flips on the way, so that the chip drives the full level backwards.
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
        // 150 steps of -127 of 127, less what cools it meanwhile.
        #expect((220...260).contains(bridge_heat(bench.board.core, 0)))
    }

    /// Checks different intervals, because ports call the core as often as they can, and some only
    /// every 50 ms.
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
