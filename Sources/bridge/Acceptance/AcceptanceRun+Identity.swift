// The step `identity` of an acceptance test, which checks the firmware, the chips and the bus of a
// board.

import AcceptanceReports
import BoardFlashing
import BridgeLink
import Checksum
import DRV2605
import HapticBridge
import SerialPorts
import ToolSupport

extension AcceptanceRun {
    /// Checks the firmware, and the chip and the configuration of each actuator.
    func identify(_ checks: inout [AcceptanceCheck]) throws {
        checks.append(try firmware())
        let actuators = try board.waitUntilSettled()
        let status = try board.status()
        for actuator in actuators {
            checks.append(chip(of: actuator, status.faults))
            guard actuator.state == .unconfigured else { continue }
            let error = ToolError(unconfigured: actuator.actuator, at: board.path)
            checks.append(check("\(Self.name(actuator.actuator)), configuration", error))
        }
        checks.append(bus(status))
        try scanBus(&checks)
    }

    /// Checks the version of the firmware, and compares the image in the board's program memory
    /// with the image in this program.
    private func firmware() throws -> AcceptanceCheck {
        let welcome = board.welcome
        func fail(_ cause: String) -> AcceptanceCheck {
            .failed(
                "firmware", .protocolMismatch, cause,
                advice: [welcome.kind.flashCommand(port: "PORT")])
        }
        guard welcome.firmware >= KnownBoard.firmwareVersion else {
            return fail("\(welcome.firmwareVersion) is older than this program's")
        }
        let name = "\(welcome.kind), \(welcome.firmwareVersion)"
        let image = try board.link.firmware(while: isWanted)
        guard !image.isEmpty, let reference = FirmwareImage.memory(of: welcome) else {
            return .passed("firmware", "\(name); this kind of board does not report its image")
        }
        let checksum = CRC32C.checksum(image)
        let facts = "\(name), \(image.count) bytes, CRC-32C \(String(checksum, radix: 16))"
        guard let address = FirmwareImage.difference(between: image, and: reference) else {
            return .passed("firmware", "\(facts), equal to the image in this program")
        }
        return fail(
            "\(facts): the image in the board's program memory differs from the one in this program, "
                + "first at byte \(address)")
    }

    private func chip(of actuator: ActuatorStatus, _ faults: Faults) -> AcceptanceCheck {
        let name = "\(Self.name(actuator.actuator)), chip"
        let chip = HapticChip.name(ofDeviceID: actuator.chipID)
        let isSupported = HapticChip(deviceID: actuator.chipID) != nil
        if isSupported, [.starting, .comingToRest].contains(actuator.state) {
            return .failed(
                name, .inputOutput, "the actuator remains \(actuator.state)",
                advice: ["reset the board, and repeat the step"])
        }
        if isSupported, actuator.state != .fault {
            return .passed(name, "\(chip), all registers read back")
        }
        if actuator.chipID != 0, !isSupported {
            return .failed(
                name, .noDriver,
                "a chip with the id \(actuator.chipID) answers, which belongs to neither a DRV2605 (3) "
                    + "nor a DRV2605L (7)",
                advice: ["replace the driver: a clone or a DRV2604 is not supported"])
        }
        let error = ToolError(undrivable: actuator.actuator, of: board, faults)
        guard let cause = faults.wiringCause else { return check(name, error) }
        return .failed(name, .noDriver, cause, advice: error.advice)
    }

    private func bus(_ status: Status) -> AcceptanceCheck {
        guard status.state.contains(.slowBus) else { return .passed("bus", "400 kHz") }
        return .failed(
            "bus", .noDriver,
            "no chip could be set up at 400 kHz: the edges on the bus are too slow",
            advice: [
                "add pull-up resistors of 2.2 to 4.7 kOhm at SDA and SCL, which most breakout "
                    + "boards have",
                "shorten the wires, and reset the board",
            ])
    }

    /// Finds the addresses that a chip on the bus acknowledges.
    private func scanBus(_ checks: inout [AcceptanceCheck]) throws {
        let name = "addresses on the bus"
        var found: [String] = []
        do {
            for address in ProbeAnswer.addresses where isWanted() {
                if try board.link.probe(address) { found.append(Self.chip(at: address)) }
            }
        } catch RequestError.rejected {
            return checks.append(.skipped(name, "an actuator is not at rest"))
        }
        guard isWanted() else { return }
        checks.append(
            found.isEmpty
                ? .failed(
                    name, .noDriver, "no chip acknowledges any address from 0x08 to 0x77",
                    advice: [board.welcome.kind.wiringAdvice])
                : .passed(name, found.joined(separator: ", ")))
    }

    /// Returns an address as text, with the name of the chip that is expected at the address.
    private static func chip(at address: UInt8) -> String {
        let digits = "0x\([address].hexadecimal)"
        return switch address {
        case HapticChip.address: "\(digits) (driver)"
        case 0x70...0x77: "\(digits) (multiplexer)"
        default: digits
        }
    }
}
