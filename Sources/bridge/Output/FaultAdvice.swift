// FaultAdvice: the meaning of a board's faults, and what to do about them.

import BridgeLink
import HapticBridge

extension ToolError {
    /// Creates an error for an actuator in fault.
    init(undrivable actuator: UInt8, of board: HapticBoard, _ faults: Faults) {
        self.init("\(board.path): actuator \(actuator) cannot be driven", faults, of: board)
        guard board.welcome.actuators > 1, status == .noDriver else { return }
        advice.append(
            "its driver is connected to channel \(actuator) of the multiplexer and has its own EN pin: "
                + "Schematics/README.md")
    }

    /// Creates an error for an action that a board could not complete because of faults of the
    /// driver or the actuator.
    ///
    /// - Parameter what: the place and the action, as the beginning of the sentence.
    init(_ what: String, _ faults: Faults, of board: HapticBoard) {
        let (status, advice) = Self.meaning(of: faults, on: board.welcome.kind)
        self.init(status, "\(what); faults: " + (faults.isEmpty ? "none" : "\(faults)"))
        self.advice = advice
    }

    private static func meaning(of faults: Faults, on kind: BoardKind) -> (ExitStatus, [String]) {
        if faults.contains(.overCurrent) {
            return (
                .actuatorFault,
                [
                    "the actuator or its wires are shorted: unplug the board and measure between "
                        + "OUT+ and OUT-; at least 8 ohms are correct",
                    "do not drive it until this is fixed",
                ]
            )
        }
        if faults.contains(.overTemperature) {
            return (
                .actuatorFault,
                ["the driver is too hot: let it cool down, and look for a short circuit"]
            )
        }
        if faults.contains(.chipReset) {
            return (
                .supplyFault,
                [
                    "the driver lost its supply while it drove: it needs 200 mA at 3 V or more",
                    "common causes are an unpowered hub, a long thin cable or an empty battery",
                ]
            )
        }
        if faults.contains(.wrongChip) {
            return (
                .noDriver,
                ["a DRV2605 or DRV2605L is required; a DRV2604 is not supported"]
            )
        }
        if !faults.isDisjoint(with: [.noChip, .bus, .readBack]) {
            return (
                .noDriver,
                [
                    kind.wiringAdvice,
                    "both bus lines need pull-up resistors, which most breakouts have",
                ]
            )
        }
        if faults.contains(.storage) {
            return (
                .inputOutput,
                [
                    "a cell of the board's memory is worn out: it plays, but after a loss of power it "
                        + "has the configuration that was stored before"
                ]
            )
        }
        if faults.contains(.deadMan) {
            return (
                .inputOutput,
                ["this computer sent nothing for 250 ms (asleep or too busy); play it again"]
            )
        }
        return (
            .inputOutput, ["`bridge info` shows more; check wiring, supply and actuator"]
        )
    }
}
