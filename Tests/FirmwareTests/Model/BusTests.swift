import CDRV2605Model
import Testing

@Suite("The I2C slave of the chip model")
struct BusTests {
    @Test("only address 0x5A is acknowledged", arguments: UInt8(0)...0x7F)
    func address(address: UInt8) {
        let chip = Chip()
        #expect(drv2605_model_start(&chip.model, chip.now, address << 1) == (address == 0x5A))
    }

    @Test("slots and GO can be written in one burst to consecutive registers")
    func burstWrite() {
        let chip = Chip()
        chip.write(0x01, 0x00)
        chip.write(0x03, 0x06)
        #expect(chip.write(0x04, 0x8A, 0x8A, 0x00, 0x04, 0x05, 0x06, 0x07, 0x08, 0x01) == 9)
        #expect(
            chip.read(0x04, count: 9) == [0x8A, 0x8A, 0x00, 0x04, 0x05, 0x06, 0x07, 0x08, 0x01])
        chip.now += 199_999
        #expect(chip.isGoing)
        chip.now += 1
        #expect(!chip.isGoing)
    }

    @Test("a read without a register byte continues where the last transfer ended")
    func pointerIsKept() {
        let chip = Chip()
        #expect(chip.read(0x11, count: 2) == [0x05, 0x19])
        #expect(drv2605_model_start(&chip.model, chip.now, 0xB5))
        #expect(drv2605_model_read_byte(&chip.model, chip.now) == 0xFF)
        #expect(drv2605_model_read_byte(&chip.model, chip.now) == 0x19)
    }

    @Test("bytes outside a transfer to the chip have no effect")
    func unaddressedBytes() {
        let chip = Chip()
        #expect(!drv2605_model_write_byte(&chip.model, chip.now, 0x02))
        #expect(!drv2605_model_start(&chip.model, chip.now, 0xB6))
        #expect(!drv2605_model_write_byte(&chip.model, chip.now, 0x02))
        #expect(!drv2605_model_write_byte(&chip.model, chip.now, 0x55))
        #expect(drv2605_model_read_byte(&chip.model, chip.now) == 0xFF)
        #expect(chip.peek(0x02) == 0x00)
    }

    @Test("a repeated START for another address ends the transfer")
    func repeatedStartForAnother() {
        let chip = Chip()
        #expect(drv2605_model_start(&chip.model, chip.now, 0xB4))
        #expect(drv2605_model_write_byte(&chip.model, chip.now, 0x02))
        #expect(!drv2605_model_start(&chip.model, chip.now, 0x20))
        #expect(!drv2605_model_write_byte(&chip.model, chip.now, 0x55))
        #expect(chip.peek(0x02) == 0x00)
    }

    @Test("after an injected fault, the next bytes, including address bytes, fail without effect")
    func injectedNack() {
        let chip = Chip()
        drv2605_model_inject_nack(&chip.model, 2)
        #expect(chip.write(0x16, 0x53) == nil)
        #expect(drv2605_model_start(&chip.model, chip.now, 0xB4) == false)
        #expect(chip.write(0x16, 0x53) == 1)
        #expect(chip.read(0x16) == 0x53)
    }

    @Test("a data byte that the chip does not acknowledge is not written")
    func nackedData() {
        let chip = Chip()
        #expect(drv2605_model_start(&chip.model, chip.now, 0xB4))
        #expect(drv2605_model_write_byte(&chip.model, chip.now, 0x16))
        drv2605_model_inject_nack(&chip.model, 1)
        #expect(!drv2605_model_write_byte(&chip.model, chip.now, 0x53))
        #expect(drv2605_model_write_byte(&chip.model, chip.now, 0x54))
        #expect(chip.peek(0x16) == 0x54)
    }

    @Test("a transfer that is open for more than 4.33 ms is aborted, except in standby")
    func stalledTransfer() {
        let active = Chip()
        active.write(0x01, 0x00)
        let standby = Chip()
        func stall(_ chip: Chip, for pause: UInt64) -> Bool {
            _ = drv2605_model_start(&chip.model, chip.now, 0xB4)
            _ = drv2605_model_write_byte(&chip.model, chip.now, 0x16)
            chip.now += pause
            return drv2605_model_write_byte(&chip.model, chip.now, 0x53)
        }
        #expect(stall(active, for: 4_330))
        #expect(active.model.stalled_transfers == 0)
        #expect(!stall(active, for: 4_331))
        #expect(active.model.stalled_transfers == 1)
        #expect(stall(standby, for: 4_331))
        #expect(standby.model.stalled_transfers == 1)
    }

    @Test("a chip that holds SDA does not answer until it has received enough clock pulses")
    func heldBus() {
        let chip = Chip()
        drv2605_model_inject_bus_held(&chip.model, 9)
        for _ in 0..<9 {
            #expect(drv2605_model_is_bus_held(&chip.model))
            #expect(!chip.answers())
            drv2605_model_clock_bus(&chip.model)
        }
        #expect(!drv2605_model_is_bus_held(&chip.model))
        #expect(chip.answers())
    }

    @Test("a chip that holds SDA permanently releases SDA when it loses power")
    func heldBusForever() {
        let chip = Chip()
        drv2605_model_inject_bus_held(&chip.model, 0)
        for _ in 0..<100 { drv2605_model_clock_bus(&chip.model) }
        #expect(drv2605_model_is_bus_held(&chip.model))
        chip.power(false)
        #expect(!drv2605_model_is_bus_held(&chip.model))
    }

    @Test("a time before the previous time is treated as the previous time")
    func timeDoesNotRunBackwards() {
        let chip = Chip()
        chip.play(118)
        chip.now -= 500
        #expect(chip.isDriving)
        #expect(chip.answers())
        #expect(chip.model.now_us == 1_000)
    }
}
