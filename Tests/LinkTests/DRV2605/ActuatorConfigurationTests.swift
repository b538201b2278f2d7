import Testing

@testable import BridgeLink
@testable import DRV2605

@Suite struct ActuatorConfigurationTests {
    struct Part: Sendable {
        let name: String
        let kind: ActuatorKind
        let resonance: Double
        let rated: UInt16
        let overdrive: UInt16
        /// The values of registers 0x16, 0x17, DRIVE_TIME and 0x20.
        let registers: [UInt8]
        /// The value of register 0x17 in open-loop operation.
        let openScale: UInt8
    }

    static let parts = [
        Part(
            name: "VG1040003D", kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540,
            registers: [0x69, 0xA6, 24, 60], openScale: 0x7E),
        Part(
            name: "C10-100", kind: .lra, resonance: 175, rated: 2_000, overdrive: 3_000,
            registers: [0x53, 0x8D, 24, 58], openScale: 0x65),
        Part(
            name: "VG0832013D", kind: .lra, resonance: 235, rated: 1_800, overdrive: 2_620,
            registers: [0x46, 0x7B, 16, 43], openScale: 0x5E),
        Part(
            name: "SEMCO1030", kind: .lra, resonance: 205, rated: 1_500, overdrive: 3_000,
            registers: [0x3D, 0x8D, 19, 50], openScale: 0x4D),
        Part(
            name: "coin ERM 3 V", kind: .erm, resonance: 0, rated: 3_000, overdrive: 3_600,
            registers: [0x8D, 0xB7, 19, 0x33], openScale: 0x8B),
        Part(
            name: "ERM 1.3 V", kind: .erm, resonance: 0, rated: 1_300, overdrive: 3_000,
            registers: [0x3D, 0x98, 19, 0x33], openScale: 0x3C),
    ]

    @Test(arguments: parts)
    func computesTheWorkedValues(_ part: Part) {
        let image = ActuatorConfiguration(
            kind: part.kind, resonance: part.resonance, rated: part.rated,
            overdrive: part.overdrive, chip: .drv2605L
        ).image
        let registers = [image[0x16], image[0x17], image[0x1B] & 0x1F, image[0x20]]
        #expect(registers == part.registers, "\(part.name)")
    }

    @Test(arguments: parts)
    func computesTheWorkedValuesOfAnOpenLoop(_ part: Part) {
        let made = ActuatorConfiguration(
            kind: part.kind, resonance: part.resonance, rated: part.rated,
            overdrive: part.overdrive, chip: .drv2605L, loop: .open)
        #expect(made.image[0x17] == part.openScale, "\(part.name)")
        #expect(made.image[0x1C] & 0x80 != 0 && made.image[0x1D] & 0x08 == 0)
        #expect(made.image[0x1D] & 0x21 == (part.kind == .lra ? 0x01 : 0x20))
        #expect(made.levelMax == 255)
    }

    @Test func spellsTheWholeImageOut() {
        let image = ActuatorConfiguration(
            kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540,
            chip: .drv2605L
        ).image
        #expect(
            image.bytes == [
                0x00, 0x69, 0xA6, 0x0C, 0x6C, 0xA6, 0x98, 0x75, 0x88, 0x30, 0x80, 0x3C,
            ])
    }

    @Test func leavesRegistersOutThatTheOlderChipHasNot() {
        let image = ActuatorConfiguration(
            kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540,
            chip: .drv2605
        ).image
        #expect(
            image.bytes == [
                0x00, 0x68, 0xA1, 0x0D, 0x6D, 0xA6, 0x98, 0x75, 0x88, 0x30, 0x00, 0x00,
            ])
    }

    @Test(arguments: parts, HapticChip.allCases)
    func keepsToRatedAndOverdriveAndSaysTheSameOfKindAndFormat(_ part: Part, _ chip: HapticChip) {
        let made = ActuatorConfiguration(
            kind: part.kind, resonance: part.resonance, rated: part.rated,
            overdrive: part.overdrive, chip: chip)
        let ratedStep = part.kind == .lra ? 20.58 : 21.18
        #expect(Double(made.image[0x16]) * ratedStep <= Double(made.rated))
        let clampStep = part.kind == .lra ? 21.22 : 21.64 / 1.25
        #expect(Double(made.image[0x17]) * clampStep <= Double(made.overdrive))
        #expect((made.image[0x1A] & 0x80 != 0) == (part.kind == .lra))
        #expect(made.image[0x1C] & 0x80 == 0 && made.image[0x1D] & 0x29 == 0x08)
        #expect(made.image[0x1E] & 1 == 0)
        #expect(made.tapSharp >= 1_000 && made.tapSharp <= made.tapDull)
        #expect(made.brake >= 10 && made.levelMax >= 1)
    }

    @Test func tapsAnLRAForWholeCycles() {
        let made = ActuatorConfiguration(
            kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540,
            chip: .drv2605L)
        #expect(made.tapSharp == 5_882 && made.tapDull == 41_176)
        #expect(made.rise == 35 && made.brake == 29 && made.onset == 750)
    }

    @Test func estimatesHowAnActuatorMoves() {
        let small = ActuatorConfiguration(
            kind: .lra, resonance: 235, rated: 1_800, overdrive: 2_620, chip: .drv2605L)
        // 10 / (π x 235 Hz) is 13.55 ms.
        #expect((small.timeConstant, small.acceleration) == (135, 1_500))
        #expect((small.startVoltage, small.runningVoltage) == (0, 0))
        let weak = ActuatorConfiguration(
            kind: .erm, rated: 1_300, overdrive: 3_000, chip: .drv2605L)
        #expect((weak.timeConstant, weak.acceleration) == (400, 800))
        #expect((weak.startVoltage, weak.runningVoltage) == (867, 351))
        let known = ActuatorConfiguration(
            kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540, chip: .drv2605L,
            plant: .lra(resonance: 170, quality: 15, acceleration: 1.2))
        #expect((known.timeConstant, known.acceleration) == (281, 1_200))
    }

    @Test func storesThePlantsOfTheCoins() {
        #expect(ActuatorConfiguration.coinLRA.bytes.suffix(8) == [187, 0, 0xDC, 5, 0, 0, 0, 0])
        #expect(
            ActuatorConfiguration.coinERM.bytes.suffix(8)
                == [0x90, 1, 0x20, 3, 0xD0, 7, 0x20, 3])
        #expect(
            ActuatorConfiguration.coinERM.plant
                == ActuatorPlant(
                    timeConstant: 40, acceleration: 0.8, startVoltage: 2, runningVoltage: 0.8))
    }

    @Test func storesNoPlantBeyondWhatAFieldHolds() {
        var made = ActuatorConfiguration.coinERM
        made.plant = ActuatorPlant(
            timeConstant: 1e9, acceleration: -1, startVoltage: 65.6, runningVoltage: 0.0004)
        #expect((made.timeConstant, made.acceleration) == (.max, 0))
        #expect((made.startVoltage, made.runningVoltage) == (.max, 0))
    }

    @Test func refusesChipsOfTheRAMKind() {
        #expect(HapticChip(deviceID: 3) == .drv2605 && HapticChip(deviceID: 7) == .drv2605L)
        #expect(HapticChip(deviceID: 4) == nil && HapticChip(deviceID: 6) == nil)
    }
}
