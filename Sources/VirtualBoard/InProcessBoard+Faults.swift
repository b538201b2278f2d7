// InProcessBoard+Faults: injects faults of the hardware, and reads the registers of the chips.

import CDRV2605Model

extension InProcessBoard {
    /// Disconnects the supply voltage of an actuator's chip. The chip no longer responds.
    public func cutSupply(ofActuator actuator: Int) {
        let chip = chip(of: actuator)
        drv2605_model_power(chip, chip.clock(at: now), false)
    }

    /// Short-circuits the outputs of an actuator's chip. The chip reports an overcurrent when it
    /// drives the actuator.
    public func short(outputsOfActuator actuator: Int) {
        let chip = chip(of: actuator)
        drv2605_model_inject_short(chip, chip.clock(at: now), true)
    }

    /// Returns the value of a register of an actuator's chip, without a transfer on the bus.
    public func register(_ address: UInt8, ofActuator actuator: Int) -> UInt8 {
        let chip = chip(of: actuator)
        return drv2605_model_register(chip, chip.pointee.now_us, address)
    }
}
