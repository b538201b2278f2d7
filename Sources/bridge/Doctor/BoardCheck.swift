// BoardCheck: a board that answers, and its actuators.

import BridgeLink
import HapticBridge

enum BoardCheck {
    static func findings(_ board: HapticBoard) throws -> [Finding] {
        var findings = [firmware(board)]
        let actuators = try (0..<board.welcome.actuators).map { try board.waitUntilSettled($0) }
        let status = try board.status()
        let culprits = actuators.filter { !isDrivable($0) }
        for actuator in actuators {
            // The board tells its faults as a whole: they are those of one that cannot be driven.
            let isBlamed = culprits.isEmpty || !isDrivable(actuator)
            findings.append(state(actuator, isBlamed ? status.faults : [], board))
            findings += [supply(actuator, board), calibration(actuator, board)].compactMap { $0 }
        }
        if status.damagedFrames > 0 {
            findings.append(
                .remark(
                    "\(board.path): \(status.damagedFrames) frames arrived damaged",
                    cure: "use a shorter cable, and keep it from the motor's wires"))
        }
        if status.lostBytes > 0 {
            findings.append(
                .remark(
                    "\(board.path): \(status.lostBytes) bytes arrived faster than the board read them",
                    cure: "some program sends more than the board allows; it is not this one"))
        }
        return findings
    }

    private static func firmware(_ board: HapticBoard) -> Finding {
        let welcome = board.welcome
        if welcome.firmware < FlashBoard.firmwareVersion {
            return .remark(
                "\(board.path): its firmware \(welcome.firmwareVersion) is older than this "
                    + "program's",
                cure: "bridge flash --board uno --port \(board.path) (or nano, nano-old)")
        }
        return .fine(
            "\(board.path): firmware \(welcome.firmwareVersion), protocol \(welcome.version)")
    }

    private static func state(
        _ actuator: ActuatorStatus, _ faults: Faults, _ board: HapticBoard
    ) -> Finding {
        let place = "\(board.path): actuator \(actuator.actuator)"
        guard isDrivable(actuator) else {
            return Finding(ToolError(undrivable: actuator.actuator, of: board, faults))
        }
        guard actuator.state != .unconfigured else {
            return Finding(ToolError(unconfigured: actuator.actuator, at: board.path))
        }
        guard faults.isEmpty else { return Finding(ToolError("\(place) has had trouble", faults)) }
        return .fine("\(place) is \(actuator.state)")
    }

    /// Whether it has a chip that works, though perhaps no configuration.
    private static func isDrivable(_ actuator: ActuatorStatus) -> Bool {
        switch actuator.state {
        case .fault: false
        case .unconfigured: HapticChip(deviceID: actuator.chipID) != nil
        default: true
        }
    }

    /// The supply as the chip measured it while it drove last.
    private static func supply(_ actuator: ActuatorStatus, _ board: HapticBoard) -> Finding? {
        guard actuator.supply > 0 else { return nil }
        let volts = (Double(actuator.supply) / 1000).text(decimals: 2)
        let place = "\(board.path): actuator \(actuator.actuator): its driver's supply"
        if actuator.supply < 3_000 {
            return .problem(
                .supplyFault, "\(place) is \(volts) V",
                cure: "the driver needs 3 V or more: charge the battery, use a better cable; it is "
                    + "measured while it drives: bridge play success --port \(board.path)")
        }
        guard actuator.supply < actuator.overdrive else { return .fine("\(place) is \(volts) V") }
        return .remark(
            "\(place), \(volts) V, is below the overdrive that is asked for",
            cure: "starts and stops are slower than they could be; supply the driver with 5 V")
    }

    private static func calibration(_ actuator: ActuatorStatus, _ board: HapticBoard) -> Finding? {
        guard actuator.state == .atRest, actuator.calibration != .passed else { return nil }
        return .remark(
            "\(board.path): actuator \(actuator.actuator): calibration \(actuator.calibration)",
            cure: "bridge calibrate --port \(board.path) --actuator \(actuator.actuator)")
    }
}
