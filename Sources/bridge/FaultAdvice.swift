// FaultAdvice: what the faults of a board mean, and what to do about them.

import BridgeLink
import HapticBridge

extension ToolError {
    /// An actuator in fault.
    init(undrivable actuator: UInt8, of board: HapticBoard, _ faults: Faults) {
        self.init("\(board.path): actuator \(actuator) cannot be driven", faults)
        guard board.welcome.actuators > 1, status == .noDriver else { return }
        advice.append(
            "its driver is at channel \(actuator) of the multiplexer, and has an EN of its own: "
                + "Schematics/README.md")
    }

    /// Something that a board could not do because of what happened to driver or actuator.
    ///
    /// - Parameter what: where and what, the beginning of the sentence.
    init(_ what: String, _ faults: Faults) {
        let (status, advice) = Self.meaning(of: faults)
        self.init(status, "\(what); faults: " + (faults.isEmpty ? "none" : "\(faults)"))
        self.advice = advice
    }

    private static func meaning(of faults: Faults) -> (ExitStatus, [String]) {
        if faults.contains(.overCurrent) {
            return (
                .actuatorFault,
                [
                    "the actuator, or its wires, are shorted: unplug the board and measure between "
                        + "OUT+ and OUT-; 8 ohms is the least that is right",
                    "do not drive it before that is mended",
                ]
            )
        }
        if faults.contains(.overTemperature) {
            return (
                .actuatorFault,
                ["the driver is too hot: let it cool, and look for a short"]
            )
        }
        if faults.contains(.chipReset) {
            return (
                .supplyFault,
                [
                    "the driver lost its supply while it drove: it needs 200 mA at 3 V or more",
                    "a hub without supply, a long thin cable or an empty battery are the usual reasons",
                ]
            )
        }
        if faults.contains(.wrongChip) {
            return (
                .noDriver,
                ["a DRV2605 or DRV2605L is needed; a DRV2604 plays from memory it must be given"]
            )
        }
        if !faults.isDisjoint(with: [.noChip, .bus, .readBack]) {
            return (
                .noDriver,
                [
                    "check the driver's wires: SDA to A4, SCL to A5, EN to D4, VIN to 5V, GND to GND",
                    "both bus lines need pull-ups, which most breakouts bring along",
                ]
            )
        }
        if faults.contains(.storage) {
            return (
                .inputOutput,
                [
                    "a cell of the board's memory is worn: it plays on, but after a loss of power it "
                        + "has what was stored before"
                ]
            )
        }
        if faults.contains(.deadMan) {
            return (
                .inputOutput,
                ["this computer was silent for 250 ms: asleep, or too busy; play it again"]
            )
        }
        return (
            .inputOutput, ["`bridge info` shows more; check wiring, supply and actuator"]
        )
    }
}
