import CDRV2605Model
import Testing

@Suite("Sequencer, diagnostics and calibration of the chip model")
struct ProcessTests {
    // MARK: Sequencer

    @Test("GO is cleared automatically when the effect ends")
    func goClears() {
        let chip = Chip()
        chip.play(15, 0)
        #expect(chip.nextChange == chip.now + 750_000)
        chip.now += 749_999
        #expect(chip.read(0x0C) == 0x01)
        #expect(chip.drive == 255)
        chip.now += 1
        #expect(chip.read(0x0C) == 0x00)
        #expect(chip.drive == 0)
        #expect(chip.model.undefined_accesses == 0)
    }

    @Test(
        "effects drive the level that their names state",
        arguments: [
            (UInt8(1), Int16(255)), (2, 153), (3, 76), (6, 76), (11, 153), (13, 153), (24, 255),
            (26, 153), (49, 153), (51, 51), (53, 153), (63, 25), (70, 127), (117, 63), (118, 255),
            (119, 127), (123, 25),
        ])
    func effectLevels(effect: UInt8, drive: Int16) {
        let chip = Chip()
        chip.play(effect)
        #expect(chip.drive == drive)
    }

    @Test("every ROM effect except 118 ends", arguments: UInt8(1)...123)
    func effectsEnd(effect: UInt8) {
        let chip = Chip()
        chip.play(effect)
        #expect(chip.isDriving)
        chip.now += 1_000_000
        #expect(chip.isGoing == (effect == 118))
        chip.write(0x0C, 0x00)
        #expect(!chip.isDriving)
    }

    @Test("a wait lasts ten milliseconds per count, without drive")
    func waits() {
        let chip = Chip()
        chip.play(0x85, 118)
        chip.now += 49_999
        #expect(chip.isGoing)
        #expect(chip.drive == 0)
        chip.now += 1
        #expect(chip.drive == 255)
    }

    @Test("the sequence ends at a zero")
    func endsAtZero() {
        let chip = Chip()
        chip.play(0x81, 0x00, 118)
        chip.now += 10_000
        #expect(!chip.isGoing)
        #expect(chip.drive == 0)
    }

    @Test("the sequence ends after slot 8")
    func endsAfterLastSlot() {
        let chip = Chip()
        chip.play(0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0xFF)
        chip.now += 70_000 + 1_270_000 - 1
        #expect(chip.isGoing)
        chip.now += 1
        #expect(!chip.isGoing)
    }

    @Test("an empty sequence ends immediately")
    func emptySequence() {
        let chip = Chip()
        chip.play(0x00)
        #expect(chip.read(0x0C) == 0x00)
    }

    @Test("effects of the empty library take no time")
    func emptyLibrary() {
        let chip = Chip()
        chip.write(0x01, 0x00)
        chip.write(0x03, 0x00)
        chip.write(0x04, 118, 0x00)
        chip.write(0x0C, 0x01)
        #expect(!chip.isGoing)
        #expect(chip.drive == 0)
    }

    @Test("writing zero to GO cancels the sequence, and a later GO starts from the first slot")
    func cancelAndRestart() {
        let chip = Chip()
        chip.play(16, 118)
        chip.now += 500_000
        chip.write(0x0C, 0x00)
        #expect(chip.drive == 0)
        chip.write(0x0C, 0x01)
        #expect(chip.nextChange == chip.now + 1_000_000)
        #expect(chip.model.undefined_accesses == 0)
    }

    // MARK: Calibration

    @Test(
        "calibration takes the longest time of AUTO_CAL_TIME",
        arguments: [
            (UInt8(0x00), UInt64(350_000)), (0x10, 450_000), (0x20, 700_000), (0x30, 1_200_000),
        ])
    func calibrationTime(control4: UInt8, time: UInt64) {
        let chip = Chip()
        chip.write(0x1E, control4)
        chip.write(0x01, 0x07)
        chip.write(0x0C, 0x01)
        #expect(chip.isDriving)
        chip.now += time - 1
        #expect(chip.read(0x0C) == 0x01)
        chip.now += 1
        #expect(chip.read(0x0C) == 0x00)
        #expect(!chip.isDriving)
    }

    @Test("a successful calibration stores its results in 0x18, 0x19 and BEMF_GAIN")
    func calibrationPasses() {
        let chip = Chip()
        chip.model.calibrated_compensation = 0x06
        chip.model.calibrated_back_emf = 0xED
        chip.model.calibrated_gain = 3
        chip.write(0x1A, 0xA4)
        chip.write(0x01, 0x07)
        chip.write(0x0C, 0x01)
        chip.now += 1_200_000
        #expect(chip.read(0x00) == 0xE0)
        #expect(chip.read(0x18, count: 3) == [0x06, 0xED, 0xA7])
    }

    @Test("a failed calibration sets DIAG_RESULT, which is cleared by a read")
    func calibrationFails() {
        let chip = Chip(id: Chip.drv2605)
        chip.model.calibration = MODEL_CALIBRATION_FAILS
        chip.write(0x01, 0x07)
        chip.write(0x0C, 0x01)
        chip.now += 1_200_000
        #expect(chip.peek(0x00) == 0x68)
        #expect(chip.read(0x00) == 0x68)
        #expect(chip.read(0x00) == 0x60)
        #expect(chip.read(0x18, count: 3) == [0x0D, 0x6D, 0x36])
    }

    @Test("a calibration that never finishes keeps GO until standby")
    func calibrationHangs() {
        let chip = Chip()
        chip.model.calibration = MODEL_CALIBRATION_NEVER_FINISHES
        chip.write(0x01, 0x07)
        chip.write(0x0C, 0x01)
        chip.now += 60_000_000
        #expect(chip.read(0x0C) == 0x01)
        chip.write(0x01, 0x40)
        #expect(chip.read(0x0C) == 0x00)
        #expect(chip.read(0x18, count: 2) == [0x0C, 0x6C])
    }

    @Test("leaving MODE 7 immediately prevents calibration")
    func calibrationAborted() {
        let chip = Chip()
        chip.write(0x01, 0x07)
        chip.write(0x0C, 0x01)
        chip.write(0x01, 0x00)
        #expect(chip.read(0x0C) == 0x00)
        chip.now += 2_000_000
        #expect(chip.read(0x18, count: 2) == [0x0C, 0x6C])
        #expect(chip.model.undefined_accesses == 1)
    }

    // MARK: Diagnostics

    @Test(
        "diagnostics report a working, an open and a short-circuited actuator",
        arguments: [
            (MODEL_DIAGNOSTICS_OK, UInt8(0xE0)),
            (MODEL_DIAGNOSTICS_OPEN, UInt8(0xE8)),
            (MODEL_DIAGNOSTICS_SHORTED, UInt8(0xE8)),
        ])
    func diagnostics(outcome: drv2605_model_diagnostics, status: UInt8) {
        let chip = Chip()
        chip.model.diagnostics = outcome
        chip.write(0x01, 0x06)
        chip.write(0x0C, 0x01)
        #expect(chip.isGoing)
        chip.now = chip.nextChange
        #expect(!chip.isGoing)
        #expect(chip.read(0x00) == status)
        #expect(chip.read(0x00) == 0xE0)
    }
}
