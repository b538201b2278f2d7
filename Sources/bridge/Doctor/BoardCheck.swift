// BoardCheck: checks a board that answers, and its actuators.

import BridgeLink
import DRV2605
import HapticBridge
import ToolSupport

enum BoardCheck {
    static func findings(_ board: HapticBoard) throws -> [Finding] {
        var findings = [firmware(board)]
        let actuators = try board.waitUntilSettled()
        let status = try board.status()
        let culprits = actuators.filter { !isDrivable($0) }
        for actuator in actuators {
            // The faults that the board reports do not name an actuator. Therefore, the faults are
            // attributed to the actuators that cannot be driven.
            let isBlamed = culprits.isEmpty || !isDrivable(actuator)
            findings.append(state(actuator, isBlamed ? status.faults : [], board))
            let supply = supply(
                actuator.supply, overdrive: actuator.overdrive, of: actuator.actuator,
                at: board.path)
            findings += [supply, resonance(actuator, board), calibration(actuator, board)]
                .compactMap { $0 }
        }
        findings += sketch(board, status)
        if status.damagedFrames > 0 {
            findings.append(
                .remark(
                    "\(board.path): \(status.damagedFrames) damaged frames",
                    cure: "use a shorter cable, and keep it away from the wires of the motor"))
        }
        if status.state.contains(.slowBus) {
            findings.append(
                .remark(
                    "\(board.path): its bus runs at 100 kHz: no chip could be set up at 400 kHz",
                    cure:
                        "shorten the wires of SDA and SCL, or add pull-up resistors of 2.2 to 4.7 kOhm "
                        + "in addition to those of the breakout board, and reset the board"))
        }
        if status.lostBytes > 0 {
            findings.append(
                .remark(
                    "\(board.path): \(status.lostBytes) bytes arrived faster than the board read them",
                    cure: "end the program that is sending more bytes than the board allows"))
        }
        return findings
    }

    /// Returns findings on the timing of a board whose firmware a sketch polls.
    private static func sketch(_ board: HapticBoard, _ status: Status) -> [Finding] {
        guard board.welcome.kind.isPolled else { return [] }
        let isSlow = status.state.contains(.slowBus)
        let bound =
            board.welcome.kind.writeLateness(actuators: 1)
            + (isSlow ? BoardKind.slowBusLateness : 0)
        guard Microseconds(status.latest) <= bound else {
            return [
                .remark(
                    "\(board.path): its sketch wrote up to \(status.latest) µs late: "
                        + Int(status.lateEvents).text("late write"),
                    cure:
                        "reduce the time of loop() to less than 1 ms: no delay(), no waiting for "
                        + "sensors, no long prints; call `bridge.update()` in between")
            ]
        }
        return [
            .fine(
                "\(board.path): its sketch wrote at most \(status.latest) µs late; "
                    + "\(bound) µs are allowed")
        ]
    }

    private static func firmware(_ board: HapticBoard) -> Finding {
        let welcome = board.welcome
        if welcome.firmware < KnownBoard.firmwareVersion {
            return .remark(
                "\(board.path): its firmware \(welcome.firmwareVersion) is older than this "
                    + "program's",
                cure: welcome.kind.flashCommand(port: board.path))
        }
        let name = welcome.kind.isKnown && welcome.kind != .unknown ? "\(welcome.kind), " : ""
        return .fine(
            "\(board.path): \(name)firmware \(welcome.firmwareVersion), protocol \(welcome.version)"
        )
    }

    private static func state(
        _ actuator: ActuatorStatus, _ faults: Faults, _ board: HapticBoard
    ) -> Finding {
        let subject = "\(board.path): actuator \(actuator.actuator)"
        guard isDrivable(actuator) else {
            return Finding(ToolError(undrivable: actuator.actuator, of: board, faults))
        }
        guard actuator.state != .unconfigured else {
            return Finding(ToolError(unconfigured: actuator.actuator, at: board.path))
        }
        guard faults.isEmpty else {
            return Finding(ToolError("\(subject) reported faults", faults, of: board))
        }
        return .fine("\(subject) is \(actuator.state)")
    }

    /// Returns true if the actuator has a working chip, even without a configuration.
    private static func isDrivable(_ actuator: ActuatorStatus) -> Bool {
        switch actuator.state {
        case .fault: false
        case .unconfigured: HapticChip(deviceID: actuator.chipID) != nil
        default: true
        }
    }

    /// Returns a finding on the supply voltage that the chip last measured while it drove the
    /// actuator; nil if the chip has not measured the voltage.
    ///
    /// - Parameters:
    ///   - millivolts: the supply voltage in millivolts; 0 if the voltage was not measured.
    ///   - overdrive: the overdrive voltage of the configuration, in millivolts.
    static func supply(
        _ millivolts: UInt16, overdrive: UInt16, of actuator: UInt8, at path: String
    ) -> Finding? {
        guard millivolts > 0 else { return nil }
        let volts = (Double(millivolts) / 1000).text(decimals: 2)
        let subject = "\(path): actuator \(actuator): its driver's supply"
        if millivolts < 3_000 {
            return .problem(
                .supplyFault, "\(subject) is \(volts) V",
                cure:
                    "the driver needs at least 3 V: charge the battery, or use a better cable; the supply is "
                    + "measured while the driver is active: bridge play success --port \(path)"
            )
        }
        guard millivolts < overdrive else { return .fine("\(subject) is \(volts) V") }
        return .remark(
            "\(subject), \(volts) V, is below the overdrive voltage of the configuration",
            cure: "starts and stops are slower than they could be; supply the driver with 5 V")
    }

    /// The permitted ratio of the measured resonance to the configured resonance.
    static let resonanceTolerance = 0.8...1.2

    /// Returns a finding on the resonance that the chip last measured while it drove the actuator;
    /// nil if the chip has not measured the resonance.
    private static func resonance(_ actuator: ActuatorStatus, _ board: HapticBoard) -> Finding? {
        guard actuator.kind == .lra, let measured = actuator.measuredResonance else { return nil }
        let configured = Double(actuator.resonance) / 10
        let subject =
            "\(board.path): actuator \(actuator.actuator) resonates at "
            + "\(measured.text(decimals: 0)) Hz, as last measured"
        guard !resonanceTolerance.contains(measured / configured) else { return .fine(subject) }
        return .remark(
            "\(subject), but is configured for \(configured.text(decimals: 0)) Hz",
            cure: "configure the connected actuator with `bridge actuator set`; "
                + "`bridge accept report.json --only drive` measures again")
    }

    private static func calibration(_ actuator: ActuatorStatus, _ board: HapticBoard) -> Finding? {
        guard actuator.state == .atRest, actuator.calibration != .passed else { return nil }
        let option = BoardOptions.option(forPort: board.path)
        return .remark(
            "\(board.path): actuator \(actuator.actuator): calibration \(actuator.calibration)",
            cure: "bridge calibrate \(option) --actuator \(actuator.actuator)")
    }
}
