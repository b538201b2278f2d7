// Tests of CONFIGURE and SAVE (SPEC 8): the configurations that the board rejects, the offset and
// the limit that it reports, and the settings that it keeps.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct ConfigurationTests {
    /// A change to a valid configuration, and the device's answer to it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let code: UInt32
        let offset: Int
        let limit: UInt32
        let change: @Sendable (inout ActuatorConfiguration) -> Void

        var testDescription: String { name }

        init(
            _ name: String, _ code: bridge_reject_code, at offset: Int, limit: UInt32,
            _ change: @escaping @Sendable (inout ActuatorConfiguration) -> Void
        ) {
            (self.name, self.code, self.offset) = (name, code.rawValue, offset)
            (self.limit, self.change) = (limit, change)
        }
    }

    /// The offset of the register image in the payload of CONFIGURE, whose first byte is the number
    /// of the actuator.
    private static let image = 22

    static let refused: [Case] = [
        Case("no kind", BRIDGE_REJECT_RANGE, at: 1, limit: 1) { $0.kind = .none },
        Case("kind 4", BRIDGE_REJECT_RANGE, at: 1, limit: 1) {
            $0.kind = ActuatorKind(rawValue: 4)
        },
        Case("ERM with the LRA bit", BRIDGE_REJECT_RANGE, at: image + 5, limit: 0) {
            $0.kind = .erm
        },
        Case("LRA without it", BRIDGE_REJECT_RANGE, at: image + 5, limit: 0) {
            $0.image[0x1A] &= 0x7F
        },
        Case("OTP", BRIDGE_REJECT_RANGE, at: image + 9, limit: 0) { $0.image[0x1E] |= 1 },
        // In this mode, levels would depend on the supply voltage, and an LRA whose vibration is
        // not detected would be driven at the clamp voltage.
        Case("SUPPLY_COMP_DIS", BRIDGE_REJECT_RANGE, at: image + 8, limit: 0) {
            $0.image[0x1D] |= 0x10
        },
        Case("LRA_AUTO_OPEN_LOOP", BRIDGE_REJECT_RANGE, at: image + 10, limit: 0) {
            $0.image[0x1F] |= 0x20
        },
        Case("signed and unidirectional", BRIDGE_REJECT_RANGE, at: image + 8, limit: 0) {
            $0.image[0x1D] &= ~0x08
        },
        Case("unsigned and bidirectional", BRIDGE_REJECT_RANGE, at: image + 8, limit: 0) {
            $0.image[0x1C] |= 0x80
        },
        Case("unsigned in open loop", BRIDGE_REJECT_RANGE, at: image + 8, limit: 0) {
            $0.image[0x1D] |= 0x01
        },
        Case("rated", BRIDGE_REJECT_LIMIT, at: 5, limit: 5_300) { $0.rated = 5_301 },
        Case("overdrive", BRIDGE_REJECT_LIMIT, at: 7, limit: 5_600) { $0.overdrive = 5_601 },
        // 2,500 mV / 20.58 mV x (1 - 1,500 us x 170 Hz)^0.5 is 104.9; 3,540 mV / 21.22 mV is 166.8.
        Case("0x16", BRIDGE_REJECT_LIMIT, at: image + 1, limit: 105) { $0.image[0x16] = 106 },
        Case("0x17", BRIDGE_REJECT_LIMIT, at: image + 2, limit: 166) { $0.image[0x17] = 167 },
        Case("resonance", BRIDGE_REJECT_LIMIT, at: 3, limit: 1_250) { $0.resonance = 1_249 },
        Case("resonance too high", BRIDGE_REJECT_LIMIT, at: 3, limit: 3_000) {
            $0.resonance = 3_001
        },
        // 0.1 / 98.46 us is 1,015.6; in tenths of hertz, 10,156.4 / 170.0 Hz is 59.7.
        Case("open loop at 163.6 Hz", BRIDGE_REJECT_RANGE, at: image + 11, limit: 59) {
            $0 = .openLRA
            $0.image[0x20] = 62
        },
        // 2,500 mV / (21.32 mV x (1 - 800 us x 170 Hz)^0.5) is 126.2, so full level is the clamp
        // voltage.
        Case("open loop above rated", BRIDGE_REJECT_LIMIT, at: image + 2, limit: 126) {
            $0 = .openLRA
            ($0.image[0x17], $0.levelMax) = (127, 100)
        },
        Case("open loop, calibrated above rated", BRIDGE_REJECT_LIMIT, at: image + 1, limit: 105) {
            $0 = .openLRA
            $0.image[0x16] = 106
        },
        Case("tap below 1 ms", BRIDGE_REJECT_LIMIT, at: 11, limit: 1_000) { $0.tapSharp = 999 },
        Case("sharp above dull", BRIDGE_REJECT_LIMIT, at: 9, limit: 5_882) { $0.tapDull = 5_881 },
        Case("brake", BRIDGE_REJECT_LIMIT, at: 14, limit: 10) { $0.brake = 9 },
        Case("curve mid", BRIDGE_REJECT_LIMIT, at: 18, limit: 20) {
            $0.curve = LevelCurve(low: 20, mid: 19, high: 255)
        },
        Case("curve high", BRIDGE_REJECT_LIMIT, at: 19, limit: 30) {
            $0.curve = LevelCurve(low: 20, mid: 30, high: 29)
        },
        Case("no level", BRIDGE_REJECT_LIMIT, at: 20, limit: 1) { $0.levelMax = 0 },
        Case("sustained", BRIDGE_REJECT_LIMIT, at: 34, limit: 16) { $0.sustained = 15 },
    ]

    @Test(arguments: refused)
    func eachLimitIsRefusedWithItsPlaceAndTheNearestValue(wrong: Case) {
        let bench = Bench.connected()
        var configuration = ActuatorConfiguration.testLRA
        wrong.change(&configuration)
        let reject = bench.command(0x48, [0] + configuration.bytes)
        #expect(reject?.code.rawValue == UInt8(wrong.code))
        #expect(reject?.offset == UInt8(wrong.offset))
        #expect(reject?.limit == wrong.limit)
        // The board keeps no part of the rejected configuration.
        #expect(bench.configuration == ActuatorConfiguration.testLRA.bytes)
        #expect(bench.isAtRest())
    }

    @Test func whatLiesJustWithinTheLimitsIsTaken() {
        var configuration = ActuatorConfiguration.testLRA
        configuration.image[0x16] = 105
        configuration.image[0x17] = 166
        (configuration.tapSharp, configuration.tapDull) = (1_000, 1_000)
        (configuration.brake, configuration.levelMax) = (10, 1)
        configuration.curve = LevelCurve(low: 7, mid: 7, high: 7)
        let bench = Bench.connected()
        #expect(bench.command(0x48, [0] + configuration.bytes) == nil)
        #expect(bench.runToRest(limit: 50_000))
        #expect(bench.configuration == configuration.bytes)
        let image = (UInt8(0x16)...0x20).map { bench.chip.pointee.registers($0) }
        #expect([bench.chip.pointee.registers(3)] + image == configuration.image.bytes)
    }

    @Test func thePlantIsKeptAsItCameWhateverItSays() {
        let bench = Bench.connected()
        for byte in [0xFF, 0x00, 0x5A] as [UInt8] {
            let bytes =
                ActuatorConfiguration.testLRA.bytes.prefix(48)
                + [UInt8](repeating: byte, count: 8)
            // A newer host may send more fields than this device supports.
            #expect(bench.command(0x48, [0] + bytes + (byte == 0x5A ? [7] : [])) == nil)
            #expect(bench.runToRest(limit: 50_000))
            #expect(bench.configuration == Array(bytes))
        }
    }

    /// Checks a CONFIGURE message from an older host, which contains no plant model.
    @Test(arguments: [49, 50, 53, 56])
    func whatAnOlderHostLeavesOutIsZero(count: Int) {
        let bench = Bench.connected()
        let whole =
            [0] + ActuatorConfiguration.signedLRA.bytes.prefix(48) + [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(bench.command(0x48, whole) == nil)
        #expect(bench.runToRest(limit: 50_000))
        #expect(bench.command(0x48, Array(whole.prefix(count))) == nil)
        #expect(bench.runToRest(limit: 50_000))
        let zeros = [UInt8](repeating: 0, count: 57 - count)
        #expect(bench.configuration == whole[1..<count] + zeros)
    }

    @Test func lessThanAnOlderHostSendsIsTooShort() {
        let bench = Bench.connected()
        let reject = bench.command(0x48, [0] + ActuatorConfiguration.signedLRA.bytes.prefix(47))
        #expect(reject == Reject(type: .configure, code: .length, offset: 48, limit: 49))
        #expect(bench.configuration == ActuatorConfiguration.testLRA.bytes)
    }

    /// Checks the maximum accepted values of the registers 0x16 and 0x17, for random combinations
    /// of actuator type, loop, times and voltages.
    @Test(arguments: 0..<8)
    func registersArePermittedExactlyUpToTheirMillivolts(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<40 {
            var configuration = anyVoltages(using: &random)
            for value in 0...255 as ClosedRange<UInt8> {
                configuration.image[0x16] = value
                configuration.image[0x17] = 0
                expectVerdict(on: configuration, offset: 22, [ratedVoltage(of: configuration)])
                (configuration.image[0x16], configuration.image[0x17]) = (0, value)
                let open = isOpen(configuration) ? [openVoltage(of: configuration)] : []
                expectVerdict(
                    on: configuration, offset: 23, [clampVoltage(of: configuration)] + open)
            }
        }
    }

    private func anyVoltages(using random: inout SeededGenerator) -> ActuatorConfiguration {
        let isLRA = random.chance(oneIn: 2)
        var configuration = ActuatorConfiguration.signedLRA
        configuration.kind = isLRA ? .lra : .erm
        configuration.resonance = .random(in: 1_250...3_000, using: &random)
        configuration.image[0x1A] = isLRA ? 0xA6 : 0x26
        configuration.image[0x1B] = random.bytes(1)[0]
        configuration.image[0x1C] = random.bytes(1)[0] | 0x80
        configuration.image[0x1D] = random.chance(oneIn: 2) ? (isLRA ? 0x01 : 0x20) : 0
        configuration.image[0x20] = UInt8(
            (10 / 98.46e-6 / Double(configuration.resonance)).rounded())
        configuration.rated = .random(in: 0...5_300, using: &random)
        configuration.overdrive = .random(in: 0...5_600, using: &random)
        return configuration
    }

    /// The voltage that a register value represents, and the voltage that SPEC 8 allows, in
    /// millivolts.
    private typealias Bound = (voltage: Double, allowed: Double)

    private func isOpen(_ configuration: ActuatorConfiguration) -> Bool {
        configuration.image[0x1D] & (configuration.kind == .lra ? 0x01 : 0x20) != 0
    }

    private func ratedVoltage(of configuration: ActuatorConfiguration) -> Bound {
        let (value, rated) = (Double(configuration.image[0x16]), Double(configuration.rated))
        guard configuration.kind == .lra else { return ((value - 0.125) * 21.18, rated) }
        let sampleTime = 150e-6 + 50e-6 * Double(configuration.image[0x1C] >> 4 & 3)
        let share = 1 - (4 * sampleTime + 300e-6) * Double(configuration.resonance) / 10
        return ((value - 0.5) * 20.58, rated * max(0, share).squareRoot())
    }

    private func clampVoltage(of configuration: ActuatorConfiguration) -> Bound {
        let (value, overdrive) = (
            Double(configuration.image[0x17]), Double(configuration.overdrive)
        )
        guard configuration.kind == .erm else { return ((value - 0.125) * 21.22, overdrive) }
        let pauses = [45.0, 75, 150, 225]
        let code = configuration.image[0x1C]
        let drive = 1_000 + 200 * Double(configuration.image[0x1B] & 0x1F)
        let whole = drive + pauses[Int(code & 3)] + pauses[Int(code >> 2 & 3)]
        return ((value - 0.125) * 21.64 * (drive - 300) / whole, overdrive)
    }

    private func openVoltage(of configuration: ActuatorConfiguration) -> Bound {
        let (value, rated) = (Double(configuration.image[0x17]), Double(configuration.rated))
        guard configuration.kind == .lra else { return ((value - 0.125) * 21.59, rated) }
        let share = 1 - 800e-6 * Double(configuration.resonance) / 10
        return ((value - 0.5) * 21.32 * share.squareRoot(), rated)
    }

    /// Checks that the device accepts or rejects a configuration correctly, and that the reported
    /// limit is the maximum legal value. Within 0.1 % of the limit, the device may accept or
    /// reject; 0 is always legal.
    private func expectVerdict(
        on configuration: ActuatorConfiguration, offset: UInt8, _ bounds: [Bound]
    ) {
        let isZero = configuration.image[offset] == 0
        let isNear = bounds.contains {
            abs($0.voltage - $0.allowed) <= 0.001 * $0.allowed + 0.1
        }
        guard isZero || !isNear else { return }
        let fault = Self.check(configuration)
        let isGood = isZero || bounds.allSatisfy { $0.voltage <= $0.allowed }
        #expect((fault.code == 0) == isGood, "\(configuration.bytes) \(offset): \(bounds)")
        guard !isGood, fault.code != 0 else { return }
        #expect(fault.offset == offset)
        var best = configuration
        best.image[offset] = UInt8(fault.limit)
        #expect(Self.check(best).code == 0 || bounds.count > 1)
        best.image[offset] += 1
        #expect(Self.check(best).code != 0)
    }

    /// Returns the result of the device's own check of a configuration without a lock.
    static func check(_ configuration: ActuatorConfiguration) -> configuration_fault {
        var stored = CBridgeFirmware.configuration()
        withUnsafeMutableBytes(of: &stored) { $0.copyBytes(from: configuration.bytes) }
        var lock = CBridgeFirmware.lock()
        return configuration_check(&stored, &lock)
    }

    @Test func anUnconfiguredActuatorIsNeverDriven() {
        let bench = Bench(.tested { $0.configuration = nil })
        bench.connect()
        bench.run(for: 30_000)
        #expect(bench.actuatorStatus().state == .unconfigured)
        let open = bench.command(0x40, [0, 1, 0, 0, 0])
        #expect(open == Reject(type: .open, code: .unconfigured, offset: 1, limit: 0))
        for type in [0x49, 0x4A, 0x4B] as [UInt8] {
            #expect(bench.command(type, [0])?.code == .unconfigured)
        }
        #expect(
            bench.command(0x42, [0, 0, 1] + [UInt8](repeating: 1, count: 8))?.code == .noStream)
        bench.run(for: 500_000)
        #expect(bench.board.driveChanges.isEmpty)
        #expect(bench.writes.filter { $0[0] != 0x01 } == [[0x02, 0]])
        // After the configuration, the actuator can play.
        #expect(bench.command(0x48, [0] + ActuatorConfiguration.testLRA.bytes) == nil)
        #expect(bench.runToRest(limit: 50_000))
        let start = bench.play([0xB0, 90, 0xF1, 40, 0x00])
        bench.run(to: start + 5_000)
        #expect(bench.drive == 90)
    }

    @Test func itIsRefusedWhileTheActuatorIsNotAtRest() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 90, 0xF1, 0x90, 0x03, 0x00])
        let message = [0] + ActuatorConfiguration.signedLRA.bytes
        #expect(bench.command(0x48, message)?.code == .notAtRest)
        bench.run(to: start + 110_000)
        #expect(bench.command(0x48, message)?.code == .notAtRest)  // braking
        bench.run(to: start + 200_000)
        #expect(bench.command(0x48, message) == nil)
        #expect(bench.command(0x48, message) == nil)  // starting, with nothing to play
        #expect(bench.runToRest(limit: 50_000))
        #expect(bench.command(0x48, [1] + message[1...])?.code == .noActuator)
    }

    @Test func whatFollowsInTheSameBreathFindsItTakenOver() {
        let bench = Bench.connected()
        let changed = ActuatorConfiguration.signedLRA
        let bytes =
            bench.nextCommand(0x48, [0] + changed.bytes) + bench.nextCommand(0x4B, [0])
            + bench.nextCommand(0x48, [0] + ActuatorConfiguration.testLRA.bytes)
        let clock = bench.board.deviceClock(at: bench.now)
        // The core is not polled between the bytes, so each byte can be the first byte of another
        // message.
        for byte in bytes {
            bridge_receive(bench.board.core, byte, clock)
            if byte != 0 { #expect(!bench.core.configuration_pending) }
        }
        #expect(bench.core.save == 1)
        #expect(bench.core.configuration_pending)
        #expect(bridge_poll(bench.board.core, clock))
        #expect(!bench.core.configuration_pending)
        #expect(bench.actuator.state == UInt8(BRIDGE_ACTUATOR_STARTING.rawValue))
        #expect(bench.runToRest(limit: 50_000))
        #expect(bench.configuration == ActuatorConfiguration.testLRA.bytes)
    }

    @Test func saveIsWhatTheNextStartFinds() {
        let bench = Bench.connected()
        #expect(bench.command(0x4B, [1])?.code == .noActuator)
        #expect(bench.board.storedConfiguration == nil)
        let changed = ActuatorConfiguration.signedLRA
        bench.command(0x48, [0] + changed.bytes)
        #expect(bench.runToRest(limit: 50_000))
        #expect(bench.command(0x4B, [0]) == nil)
        #expect(bench.board.storedConfiguration == changed.bytes)
        bench.board.reset(cause: BRIDGE_RESET_POWER)
        bench.connect()
        #expect(bench.runToRest(limit: 50_000))
        #expect(bench.configuration == changed.bytes)
    }

    @Test func withoutStorageSaveIsNotSupported() {
        let bench = Bench.connected()
        bench.board.core.pointee.board.features = 0
        #expect(bench.command(0x4B, [0])?.code == .unsupported)
        #expect(bench.command(0x4C, [])?.code == .unsupported)
    }

    @Test func theBootloaderIsEnteredFromRestOnly() {
        let bench = Bench.connected()
        bench.board.core.pointee.board.features = UInt8(BRIDGE_FEATURE_BOOTLOADER)
        let start = bench.play([0xB0, 90, 0xF1, 40, 0x00])
        #expect(bench.command(0x4C, [])?.code == .notAtRest)
        #expect(!bridge_wants_bootloader(bench.board.core))
        bench.run(to: start + 100_000)
        #expect(bench.command(0x4C, []) == nil)
        #expect(bridge_wants_bootloader(bench.board.core))
    }

    @Test func thePortsRequestForTheBootloaderBringsEverythingToRestFirst() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 90, 0xF1, 0xFF, 0x7F, 0x00])
        bench.run(to: start + 10_000)
        bridge_request_bootloader(bench.board.core)
        #expect(!bridge_wants_bootloader(bench.board.core))
        bench.run(to: start + 100_000)
        #expect(bridge_wants_bootloader(bench.board.core))
        #expect(bench.chip.pointee.registers(0x02) == 0)
        #expect(bench.command(0x40, [0, 1, 0, 0, 0]) == nil)
        #expect(bench.command(0x44, [0, 0, 0xB0, 90])?.code == .noStream)
    }

    /// This test relies on the chip model, which counts drives in modes that are not in the chip's
    /// data sheet.
    @Test(arguments: [3, 7] as [UInt8], [true, false])
    func whateverIsDrivenIsSomethingThatTheChipCan(chipID: UInt8, isLRA: Bool) {
        for isOpen in [false, true] {
            var configuration = isOpen ? ActuatorConfiguration.signedLRA : .testLRA
            configuration.kind = isLRA ? .lra : .erm
            configuration.image[0x17] = 80
            configuration.image[0x1A] = isLRA ? 0xA6 : 0x26
            if isOpen { configuration.image[0x1D] = isLRA ? 0x01 : 0x20 }
            let bench = Bench(
                .tested {
                    ($0.chipID, $0.configuration) = (chipID, configuration.bytes)
                })
            bench.connect()
            bench.run(for: 50_000)
            guard bench.isAtRest() else {
                #expect(bench.actuatorStatus().state == .fault)
                continue
            }
            bench.run(to: bench.play([0xB0, 200, 0xF1, 0xC0, 0x02, 0x00]) + 100_000)
        }
    }
}
