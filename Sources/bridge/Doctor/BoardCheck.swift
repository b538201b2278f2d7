// BoardCheck: a board that answers, and its actuators.

import BridgeLink
import HapticBridge

enum BoardCheck {
    static func findings(_ board: HapticBoard) throws -> [Finding] {
        var findings = [firmware(board)]
        let status = try board.status()
        for index in 0..<board.welcome.actuators {
            let actuator = try board.waitUntilSettled(index)
            findings.append(state(actuator, status, board))
            findings += [supply(actuator, board), calibration(actuator, board)].compactMap { $0 }
        }
        if status.damagedFrames > 0 {
            findings.append(
                .remark(
                    "\(board.path): \(status.damagedFrames) frames arrived damaged",
                    cure: "use a shorter cable, and keep it from the motor's wires"))
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
        _ actuator: ActuatorStatus, _ status: Status, _ board: HapticBoard
    ) -> Finding {
        let place = "\(board.path): actuator \(actuator.actuator)"
        switch actuator.state {
        case .unconfigured where HapticChip(deviceID: actuator.chipID) != nil:
            return Finding(ToolError(unconfigured: actuator.actuator, at: board.path))
        case .unconfigured, .fault:
            return Finding(ToolError("\(place) cannot be driven", status.faults))
        default:
            guard status.faults.isEmpty else {
                return Finding(ToolError("\(place) has had trouble", status.faults))
            }
            return .fine("\(place) is \(actuator.state)")
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
