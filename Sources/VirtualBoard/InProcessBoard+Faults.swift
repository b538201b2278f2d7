// What can be wrong with a board from its start, and what a chip looks like inside.

import CDRV2605Model

extension InProcessBoard {
    /// Takes the supply from an actuator's chip, which then answers nothing.
    public func cutSupply(ofActuator actuator: Int) {
        let chip = chip(of: actuator)
        drv2605_model_power(chip, max(UInt64(now), chip.pointee.now_us), false)
    }

    /// What a register of an actuator's chip holds; nobody on the bus notices.
    public func register(_ address: UInt8, ofActuator actuator: Int) -> UInt8 {
        let chip = chip(of: actuator)
        return drv2605_model_register(chip, chip.pointee.now_us, address)
    }
}
