// Faults that a board can have from its start, and access to the registers of its chips.

import CDRV2605Model

extension InProcessBoard {
    /// Removes the supply from an actuator's chip, which then no longer answers.
    public func cutSupply(ofActuator actuator: Int) {
        let chip = chip(of: actuator)
        drv2605_model_power(chip, chip.clock(at: now), false)
    }

    /// Shorts the outputs of an actuator's chip, which reports over-current once it drives.
    public func short(outputsOfActuator actuator: Int) {
        let chip = chip(of: actuator)
        drv2605_model_inject_short(chip, chip.clock(at: now), true)
    }

    /// Returns the content of a register of an actuator's chip, without a transfer on the bus.
    public func register(_ address: UInt8, ofActuator actuator: Int) -> UInt8 {
        let chip = chip(of: actuator)
        return drv2605_model_register(chip, chip.pointee.now_us, address)
    }
}
