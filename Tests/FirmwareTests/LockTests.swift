// Tests of LOCK (SPEC 8): the limits that no host may exceed, and the ways to remove the limits.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct LockTests {
    /// A configuration of the coin LRA with limits below the LRA's maximum ratings: a rated voltage
    /// of 2,500 mV, an overdrive voltage of 3,540 mV, and an energy budget.
    private static let limited: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.testLRA
        (configuration.sustained, configuration.budget) = (128, 500)
        return configuration
    }()

    private func locked() -> Bench {
        let bench = Bench.connected(Self.limited)
        #expect(bench.command(0x4D, [0]) == nil)
        return bench
    }

    private func configure(
        _ bench: Bench, _ change: (inout ActuatorConfiguration) -> Void
    ) -> Reject? {
        var configuration = Self.limited
        change(&configuration)
        defer { bench.runToRest(limit: 50_000) }
        return bench.command(0x48, [0] + configuration.bytes)
    }

    private func reject(_ code: RejectCode, _ offset: UInt8, _ limit: UInt32) -> Reject {
        Reject(type: .configure, code: code, offset: offset, limit: limit)
    }

    @Test func noConfigurationExceedsWhatIsLocked() {
        let bench = locked()
        #expect(configure(bench) { $0.rated = 2_501 } == reject(.limit, 5, 2_500))
        #expect(configure(bench) { $0.overdrive = 3_541 } == reject(.limit, 7, 3_540))
        #expect(configure(bench) { $0.sustained = 129 } == reject(.limit, 34, 128))
        #expect(configure(bench) { $0.budget = 501 } == reject(.limit, 35, 500))
        let kind = configure(bench) {
            $0.kind = .erm
            $0.image[0x1A] &= 0x7F
        }
        #expect(kind == reject(.range, 1, 1))
        #expect(bench.configuration == Self.limited.bytes)
    }

    @Test func anotherLoopOrResonanceWouldBeAnotherVoltage() {
        let bench = locked()
        for resonance in [1_699, 1_701] as [UInt16] {
            let code: RejectCode = resonance < 1_700 ? .range : .limit
            #expect(configure(bench) { $0.resonance = resonance } == reject(code, 3, 1_700))
        }
        var open = ActuatorConfiguration.openLRA
        (open.sustained, open.budget) = (128, 500)
        #expect(configure(bench) { $0 = open } == reject(.range, 1, 1))
        let opened = Bench.connected(open)
        #expect(opened.command(0x4D, [0]) == nil)
        #expect(configure(opened) { _ in } == reject(.range, 1, 0x81))
        #expect(configure(opened) { $0 = open } == nil)
    }

    @Test func aHostChangesNoResultOfACalibration() {
        let bench = locked()
        #expect(bench.command(0x49, [0]) == nil)
        bench.run(for: 2_000_000)
        let calibrated = bench.configuration
        #expect(calibrated[20...] != Self.limited.bytes[20...])
        // In the configurations with a different calibration and without a calibration, the loop
        // would saturate at the clamp voltage.
        #expect(
            configure(bench) {
                ($0.image[0x18], $0.image[0x19], $0.calibration) = (0, 255, .passed)
                $0.image[0x1A] &= ~3
            } == nil)
        #expect(bench.configuration == calibrated)
        #expect(configure(bench) { _ in } == nil)
        #expect(bench.configuration == calibrated)
    }

    @Test func whatIsLowerIsTakenAndMayBeRaisedAgain() {
        let bench = locked()
        #expect(configure(bench) { ($0.rated, $0.image[0x16]) = (2_000, 80) } == nil)
        #expect(configure(bench) { $0.budget = 10 } == nil)
        #expect(configure(bench) { _ in } == nil)
    }

    @Test func aSecondLockMayOnlyBeTighter() {
        let bench = locked()
        #expect(configure(bench) { $0.budget = 10 } == nil)
        #expect(bench.command(0x4D, [0]) == nil)
        #expect(configure(bench) { $0.budget = 11 } == reject(.limit, 35, 10))
    }

    @Test func theActuatorSaysThatItIsLocked() {
        let bench = Bench.connected(Self.limited)
        bench.ask(0x23, [0])
        #expect(bench.frames(0xA3).last?.payload.count == 33)
        #expect(bench.frames(0xA3).last?.payload[31] == 0)
        #expect(bench.command(0x4D, [0]) == nil)
        bench.ask(0x23, [0])
        #expect(bench.frames(0xA3).last?.payload[31] == 1)
    }

    @Test func aLockOutlivesResetsAndOnlyTheJumperUndoesIt() {
        let bench = locked()
        for hasJumper in [false, true] {
            bench.board.hasJumper = hasJumper
            bench.board.reset(cause: BRIDGE_RESET_POWER)
            bench.connect()
            bench.run(for: 50_000)
            let expected = hasJumper ? nil : reject(.limit, 35, 500)
            #expect(configure(bench) { $0.budget = 501 } == expected)
        }
    }

    /// Checks that an actuator whose lock is damaged accepts no configuration, and that the board
    /// reports a storage fault.
    @Test func aDamagedLockTakesNoConfigurationAndIsReported() {
        let bench = Bench(InProcessBoard())
        var damaged = lock()
        damaged.bytes.0 = 0x7F
        bridge_load_lock(bench.board.core, 0, &damaged)
        bench.connect()
        #expect(bench.status().faults == .storage)
        #expect(configure(bench) { _ in } == reject(.range, 1, 127))
        #expect(configure(bench) { ($0.rated, $0.sustained) = (1_000, 16) } != nil)
        #expect(bench.actuatorStatus().isLocked)
        #expect(bench.actuatorStatus().state == .unconfigured)
        #expect(bench.command(0x4D, [0])?.code == .unconfigured)
    }

    /// Checks that the core restores a lost copy of a lock: it requests the port to store the
    /// loaded copy. The core does not overwrite a lock that cannot be read, because the port may
    /// only have misread it.
    @Test(arguments: [(1, true), (0x7F, false), (0, false)] as [(UInt8, Bool)])
    func aLockThatIsLoadedIsStoredOnceMore(kind: UInt8, isStored: Bool) {
        let board = InProcessBoard()
        var loaded = lock()
        loaded.bytes.0 = kind
        bridge_load_lock(board.core, 0, &loaded)
        var actuator: UInt8 = 9
        #expect(bridge_take_lock(board.core, &actuator) == isStored)
        #expect(!isStored || actuator == 0)
    }

    @Test func anUnconfiguredActuatorHasNothingToLock() {
        let bench = Bench(.tested { $0.configuration = nil })
        bench.connect()
        let type = MessageType(rawValue: 0x4D)
        #expect(bench.command(0x4D, [0]) == Reject(type: type, code: .unconfigured))
        #expect(bench.command(0x4D, [1])?.code == .noActuator)
    }
}
