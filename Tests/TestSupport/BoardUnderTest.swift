// The boards that tests start from.

import BridgeLink
import VirtualBoard

extension InProcessBoard {
    /// A configured board: a 10 mm LRA of 170 Hz on a DRV2605L.
    public static func configured(_ change: (inout Options) -> Void = { _ in }) -> InProcessBoard {
        var options = Options()
        options.configuration = ActuatorConfiguration.coinLRA.bytes
        change(&options)
        return InProcessBoard(options: options)
    }
}

extension ActuatorConfiguration {
    /// VG1040003D: 170 Hz, 2.5 V rms, closed loop.
    public static let coinLRA = ActuatorConfiguration(
        kind: .lra, resonance: 170, rated: 2500, overdrive: 3540, chip: .drv2605L,
        name: "LRA 170 Hz")
}
