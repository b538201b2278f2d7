import CDRV2605Model
import Testing

@Suite("Faults of the chip model")
struct FaultTests {
    /// Returns a chip that drives at full scale in MODE 5.
    private func drivingChip() -> Chip {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0xFF)
        return chip
    }

    @Test(
        "over-temperature disables the output, and OVER_TEMP is cleared on read once the chip is cool"
    )
    func overTemperature() {
        let chip = drivingChip()
        drv2605_model_inject_over_temperature(&chip.model, chip.now, true)
        #expect(chip.drive == 0)
        #expect(chip.read(0x00) == 0xE2)
        #expect(chip.read(0x00) == 0xE2)
        drv2605_model_inject_over_temperature(&chip.model, chip.now, false)
        #expect(chip.drive == 255)
        #expect(chip.read(0x00) == 0xE2)
        #expect(chip.read(0x00) == 0xE0)
    }

    @Test("OC_DETECT remains set during the short circuit, even if it is read several times")
    func shortWhileDriving() {
        let chip = drivingChip()
        drv2605_model_inject_short(&chip.model, chip.now, true)
        #expect(chip.drive == 0)
        #expect(chip.read(0x00) == 0xE1)
        #expect(chip.read(0x00) == 0xE1)
        drv2605_model_inject_short(&chip.model, chip.now, false)
        #expect(chip.read(0x00) == 0xE0)
        #expect(chip.drive == 255)
    }

    @Test("after a short circuit that began before the drive, MODE must be rewritten")
    func shortBeforeDriving() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        drv2605_model_inject_short(&chip.model, chip.now, true)
        #expect(chip.read(0x00) == 0xE0)
        chip.write(0x02, 0xFF)
        #expect(chip.read(0x00) == 0xE1)
        #expect(chip.drive == 0)
        drv2605_model_inject_short(&chip.model, chip.now, false)
        #expect(chip.read(0x00) == 0xE0)
        #expect(chip.drive == 0)
        chip.write(0x01, 0x05)
        #expect(chip.drive == 255)
    }

    @Test("rewriting MODE during a short circuit neither restores the drive nor clears OC_DETECT")
    func rewriteUnderShort() {
        let chip = drivingChip()
        drv2605_model_inject_short(&chip.model, chip.now, true)
        chip.write(0x01, 0x05)
        #expect(chip.drive == 0)
        #expect(chip.read(0x00) == 0xE1)
        chip.write(0x01, 0x45)
        #expect(chip.read(0x00) == 0xE1)
    }

    @Test("rewriting MODE before the end of the short circuit has no effect")
    func earlyRewrite() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        drv2605_model_inject_short(&chip.model, chip.now, true)
        chip.write(0x02, 0xFF)
        chip.write(0x01, 0x05)
        drv2605_model_inject_short(&chip.model, chip.now, false)
        #expect(chip.drive == 0)
        chip.write(0x01, 0x05)
        #expect(chip.drive == 255)
    }

    @Test("a waveform detects the short circuit when its effect begins")
    func shortFoundByWaveform() {
        let chip = Chip()
        drv2605_model_inject_short(&chip.model, chip.now, true)
        chip.play(0x81, 118)
        #expect(chip.peek(0x00) == 0xE0)
        chip.now += 10_000
        #expect(chip.peek(0x00) == 0xE1)
        #expect(chip.drive == 0)
    }

    @Test("calibration fails if the outputs are short-circuited")
    func calibrationWithShort() {
        let chip = Chip()
        drv2605_model_inject_short(&chip.model, chip.now, true)
        chip.write(0x01, 0x07)
        chip.write(0x0C, 0x01)
        chip.now += 1_200_000
        #expect(chip.read(0x00) == 0xE9)
    }

    @Test("OTP_PROGRAM is latched permanently")
    func oneTimeProgramming() {
        let chip = Chip()
        chip.write(0x1E, 0x34)
        #expect(!chip.model.otp_programmed)
        #expect(chip.model.undefined_accesses == 0)
        chip.write(0x1E, 0x21)
        #expect(chip.model.otp_programmed)
        chip.write(0x1E, 0x20)
        chip.power(false)
        chip.power(true)
        #expect(chip.model.otp_programmed)
    }

    @Test("OTP_PROGRAM is latched when a burst reaches it")
    func oneTimeProgrammingInBurst() {
        let chip = Chip()
        chip.write(0x1C, 0x75, 0x88, 0x21)
        #expect(chip.model.otp_programmed)
    }
}
