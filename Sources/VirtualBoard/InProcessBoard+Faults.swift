// What can be wrong with a board from its start.

import CDRV2605Model

extension InProcessBoard {
    /// Takes the supply from an actuator's chip, which then answers nothing.
    public func cutSupply(ofActuator actuator: Int) {
        let chip = chip(of: actuator)
        drv2605_model_power(chip, max(UInt64(now), chip.pointee.now_us), false)
    }
}
