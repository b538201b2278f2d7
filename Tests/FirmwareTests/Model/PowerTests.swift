import CDRV2605Model
import Testing

@Suite("Power, enable, reset and standby of the chip model")
struct PowerTests {
    @Test(
        "the initial values of the registers are the values in the data sheet for the id",
        arguments: [
            (UInt8(0x00), UInt8(0x60), UInt8(0xE0)),
            (0x01, 0x40, 0x40), (0x02, 0x00, 0x00), (0x03, 0x00, 0x01), (0x04, 0x01, 0x01),
            (0x05, 0x00, 0x00), (0x0B, 0x00, 0x00), (0x0C, 0x00, 0x00), (0x0D, 0x00, 0x00),
            (0x11, 0x05, 0x05), (0x12, 0x19, 0x19), (0x13, 0xFF, 0xFF), (0x14, 0x19, 0x19),
            (0x15, 0xFF, 0xFF), (0x16, 0x3F, 0x3E), (0x17, 0x89, 0x8C), (0x18, 0x0D, 0x0C),
            (0x19, 0x6D, 0x6C), (0x1A, 0x36, 0x36), (0x1B, 0x93, 0x93), (0x1C, 0xF5, 0xF5),
            (0x1D, 0xA0, 0xA0), (0x1E, 0x20, 0x20), (0x1F, 0x00, 0x80), (0x20, 0x00, 0x33),
            (0x21, 0x00, 0x00), (0x22, 0x00, 0x00),
        ])
    func resetValues(register: UInt8, drv2605: UInt8, drv2605L: UInt8) {
        let old = Chip(id: Chip.drv2605)
        let new = Chip(id: Chip.drv2605L)
        #expect(old.read(register) == drv2605)
        #expect(new.read(register) == drv2605L)
    }

    @Test("STATUS reports the id, even if it does not belong to the chip family")
    func foreignID() {
        let chip = Chip(id: 5)
        #expect(chip.read(0x00) == 0xA0)
    }

    @Test("the chip does not answer in the first 250 microseconds")
    func startUpIsSilent() {
        let chip = Chip(coldWithID: Chip.drv2605L)
        chip.now = 249
        #expect(!chip.answers())
        #expect(chip.nextChange == 250)
        chip.now = 250
        #expect(chip.answers())
    }

    @Test(
        "without power, the chip neither answers nor drives, and its registers have their reset values afterwards"
    )
    func powerLoss() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0xFF)
        chip.power(false)
        #expect(chip.drive == 0)
        chip.now += 1_000_000
        #expect(!chip.answers())
        chip.power(true)
        chip.now += 249
        #expect(!chip.answers())
        chip.now += 1
        #expect(chip.read(0x01, count: 2) == [0x40, 0x00])
        #expect(chip.read(0x1A) == 0x36)
    }

    @Test("with EN low, the chip acknowledges, ignores writes, and reads as zero")
    func shutdownIgnores() {
        let chip = Chip()
        chip.write(0x16, 0x53)
        chip.enable(false)
        #expect(chip.write(0x16, 0x11) == 1)
        #expect(chip.read(0x16) == 0x00)
        #expect(chip.read(0x00) == 0x00)
        chip.enable(true)
        #expect(chip.read(0x16) == 0x53)
    }

    @Test("EN low stops the drive, and EN high resumes the level in RTP_INPUT")
    func enableResumesStaleDrive() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0x80)
        #expect(chip.drive == 0x80)
        chip.enable(false)
        #expect(chip.drive == 0)
        #expect(chip.model.stale_rtp_starts == 0)
        chip.enable(true)
        #expect(chip.drive == 0x80)
        #expect(chip.model.stale_rtp_starts == 1)
    }

    @Test("EN low ends a waveform permanently")
    func shutdownCancelsWaveform() {
        let chip = Chip()
        chip.play(118)
        #expect(chip.isDriving)
        chip.enable(false)
        chip.enable(true)
        #expect(!chip.isDriving)
        #expect(!chip.isGoing)
    }

    @Test(
        "DEV_RESET restores the registers and clears itself, and the chip does not answer during the reset time",
        arguments: [UInt32(5_000), 25_000])
    func deviceReset(resetTime: UInt32) {
        let chip = Chip()
        chip.model.reset_time_us = resetTime
        chip.enterRealTimePlayback()
        chip.write(0x02, 0xFF)
        #expect(chip.write(0x01, 0x80) == 1)
        #expect(chip.drive == 0)
        chip.now += UInt64(resetTime) - 1
        #expect(!chip.answers())
        chip.now += 1
        #expect(chip.read(0x01, count: 2) == [0x40, 0x00])
        #expect(chip.read(0x1C, count: 2) == [0xF5, 0xA0])
    }

    @Test("the bytes after DEV_RESET in one transfer are not acknowledged")
    func resetEndsBurst() {
        let chip = Chip()
        #expect(chip.write(0x01, 0x80, 0x7F) == 1)
    }

    @Test("standby stops the drive immediately and keeps the registers and the bus")
    func standby() {
        let chip = Chip()
        #expect(chip.isInStandby)
        chip.enterRealTimePlayback()
        chip.write(0x02, 0xFF)
        #expect(!chip.isInStandby)
        chip.write(0x01, 0x45)
        #expect(chip.isInStandby)
        #expect(chip.drive == 0)
        #expect(chip.read(0x01, count: 2) == [0x45, 0xFF])
    }

    @Test("standby aborts a waveform, which does not resume afterwards")
    func standbyCutsWaveform() {
        let chip = Chip()
        chip.play(118)
        chip.write(0x01, 0x40)
        #expect(chip.read(0x0C) == 0x00)
        chip.write(0x01, 0x00)
        #expect(!chip.isDriving)
        #expect(chip.model.undefined_accesses == 0)
    }

    @Test("a brown-out resets the chip at the time of the brown-out")
    func brownOut() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0xFF)
        drv2605_model_inject_brown_out(&chip.model, chip.now, 10_000)
        #expect(chip.nextChange == 10_000)
        chip.now = 9_999
        #expect(chip.drive == 255)
        chip.now = 10_000
        #expect(chip.drive == 0)
        #expect(!chip.answers())
        chip.now = 10_250
        #expect(chip.read(0x01, count: 2) == [0x40, 0x00])
    }

    @Test("a brown-out ends the transfer in progress")
    func brownOutInTransfer() {
        let chip = Chip()
        #expect(drv2605_model_start(&chip.model, chip.now, 0xB4))
        #expect(drv2605_model_write_byte(&chip.model, chip.now, 0x02))
        drv2605_model_inject_brown_out(&chip.model, chip.now, chip.now)
        chip.now += 250
        #expect(chip.isReady)
        #expect(!drv2605_model_write_byte(&chip.model, chip.now, 0x55))
        #expect(chip.peek(0x02) == 0x00)
    }
}
