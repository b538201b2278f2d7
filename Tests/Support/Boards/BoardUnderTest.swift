// The configured boards that tests start from.

import BridgeLink
import DRV2605
import VirtualBoard

extension InProcessBoard {
    /// A configured board with a DRV2605L and a 10 mm LRA of 170 Hz.
    public static func configured(_ change: (inout Options) -> Void = { _ in }) -> InProcessBoard {
        var options = Options()
        options.configuration = ActuatorConfiguration.coinLRA.bytes
        change(&options)
        return InProcessBoard(options: options)
    }
}
