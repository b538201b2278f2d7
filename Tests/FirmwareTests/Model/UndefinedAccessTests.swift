import CDRV2605Model
import Testing

@Suite("Accesses that are not defined in the data sheet")
struct UndefinedAccessTests {
    @Test(
        "registers that exist on neither chip", arguments: [UInt8(0x23), 0x7F, 0xFD, 0xFE, 0xFF])
    func absentRegisters(register: UInt8) {
        let chip = Chip()
        #expect(chip.read(register) == 0x00)
        #expect(chip.model.undefined_accesses == 1)
        chip.write(register, 0x55)
        #expect(chip.model.undefined_accesses == 2)
        #expect(chip.model.last_undefined_register == register)
    }

    @Test(
        "the registers 0x1F and 0x20 exist on the DRV2605L but not on the DRV2605",
        arguments: [UInt8(0x1F), 0x20])
    func registersOfTheLPart(register: UInt8) {
        let new = Chip(id: Chip.drv2605L)
        new.write(register, 0x31)
        #expect(new.read(register) == 0x31)
        #expect(new.model.undefined_accesses == 0)

        let old = Chip(id: Chip.drv2605)
        old.write(register, 0x31)
        #expect(old.read(register) == 0x00)
        #expect(old.model.undefined_accesses == 2)
    }

    @Test("read-only registers keep their value", arguments: [UInt8(0x00), 0x21, 0x22])
    func readOnlyRegisters(register: UInt8) {
        let chip = Chip()
        let before = chip.read(register)
        chip.write(register, 0x55)
        #expect(chip.read(register) == before)
        #expect(chip.model.undefined_accesses == 1)
    }

    @Test(
        "reserved bits remain clear",
        arguments: [
            (UInt8(0x01), UInt8(0x48), UInt8(0x40)), (0x03, 0x26, 0x06), (0x11, 0x15, 0x05),
            (0x1B, 0xD3, 0x93), (0x1E, 0x28, 0x20), (0x20, 0xB3, 0x33),
        ])
    func reservedBits(register: UInt8, written: UInt8, kept: UInt8) {
        let chip = Chip()
        chip.write(register, written)
        #expect(chip.read(register) == kept)
        #expect(chip.model.undefined_accesses == 1)
    }

    @Test("ZC_DET_TIME is reserved on the DRV2605")
    func zeroCrossingTime() {
        let old = Chip(id: Chip.drv2605)
        old.write(0x1E, 0xE0)
        #expect(old.read(0x1E) == 0x20)
        #expect(old.model.undefined_accesses == 1)
        let new = Chip()
        new.write(0x1E, 0xE0)
        #expect(new.read(0x1E) == 0xE0)
        #expect(new.model.undefined_accesses == 0)
    }

    @Test(
        "writing slots, library and loop registers while GO is set",
        arguments: [
            (UInt8(0x03), UInt8(0x02)), (0x04, 1), (0x0B, 1), (0x16, 0x53), (0x18, 0x06),
            (0x1A, 0xB6),
            (0x1E, 0x30), (0x20, 0x30),
        ])
    func writesWhileGoing(register: UInt8, value: UInt8) {
        let chip = Chip()
        chip.play(118)
        chip.write(register, value)
        #expect(chip.model.undefined_accesses == 1)
        #expect(chip.read(register) == value)
        chip.write(0x0C, 0x00)
        chip.write(register, value)
        #expect(chip.model.undefined_accesses == 1)
    }

    @Test("a slot written while GO is set takes effect at the next GO")
    func slotsAreTakenAtGo() {
        let chip = Chip()
        chip.play(15, 0x00)
        chip.write(0x04, 0x00)
        #expect(chip.drive == 255)
        chip.now += 750_000
        #expect(!chip.isGoing)
        chip.write(0x0C, 0x01)
        #expect(!chip.isGoing)
    }

    @Test("setting GO while it is set continues the running sequence")
    func goWhileGoing() {
        let chip = Chip()
        chip.play(15)
        let end = chip.nextChange
        chip.now += 100_000
        chip.write(0x0C, 0x01)
        #expect(chip.model.undefined_accesses == 1)
        #expect(chip.nextChange == end)
    }

    @Test("writing MODE while GO is set")
    func modeWhileGoing() {
        let chip = Chip()
        chip.play(118)
        chip.write(0x01, 0x00)
        #expect(chip.model.undefined_accesses == 1)
        #expect(chip.isGoing)
        chip.write(0x01, 0x06)
        #expect(chip.model.undefined_accesses == 2)
        #expect(!chip.isGoing)
    }

    @Test("GO in standby has no effect")
    func goInStandby() {
        let chip = Chip()
        chip.write(0x0C, 0x01)
        #expect(chip.read(0x0C) == 0x00)
        #expect(chip.model.undefined_accesses == 1)
    }

    @Test("effects above 123 are skipped", arguments: [UInt8(124), 127])
    func effectsPastTheROM(effect: UInt8) {
        let chip = Chip()
        chip.play(effect, 118)
        #expect(chip.drive == 255)
        #expect(chip.model.undefined_accesses == 1)
    }

    @Test("writes that are defined to take effect while GO is set are not counted")
    func definedWhileGoing() {
        let chip = Chip()
        chip.play(118)
        chip.write(0x02, 0x11)
        chip.write(0x03, 0x16)
        #expect(chip.drive == 0)
        chip.write(0x03, 0x06)
        #expect(chip.drive == 255)
        chip.write(0x0C, 0x00)
        chip.write(0x0C, 0x01)
        chip.write(0x01, 0x40)
        chip.write(0x01, 0x00)
        chip.write(0x0C, 0x01)
        chip.write(0x01, 0x80)
        #expect(chip.model.undefined_accesses == 0)
    }

    @Test("a probe is not counted and does not clear flags")
    func probesAreSilent() {
        let chip = Chip()
        drv2605_model_inject_over_temperature(&chip.model, chip.now, true)
        drv2605_model_inject_over_temperature(&chip.model, chip.now, false)
        #expect(chip.peek(0x00) == 0xE2)
        #expect(chip.peek(0x00) == 0xE2)
        #expect(chip.peek(0xFE) == 0x00)
        #expect(chip.model.undefined_accesses == 0)
    }
}
