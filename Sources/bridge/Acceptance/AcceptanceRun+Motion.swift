// The steps `actuator`, `drive` and `events` of an acceptance test, which drive the actuators.

import AcceptanceReports
import BridgeLink
import HapticBridge
import HapticPatterns
import SerialPorts
import ToolSupport

extension AcceptanceRun {
    // MARK: Actuator

    private static let calibrations = 3

    /// Diagnoses each actuator, and calibrates it three times.
    func measureActuators(_ checks: inout [AcceptanceCheck]) throws {
        for actuator in try drivable(for: .actuator, &checks) where isWanted() {
            let name = Self.name(actuator.actuator)
            let (status, pause) = try measuringPauses {
                try board.diagnose(actuator.actuator, while: $0)
            }
            guard isWanted() else { return }
            guard status.diagnosis.hasPassed else {
                guard !hasPaused(for: pause, name, &checks) else { continue }
                checks.append(try disconnection(name, status))
                continue
            }
            checks.append(
                .passed("\(name), connection", "an actuator is connected and not shorted"))
            checks.append(
                status.diagnosis == .passed
                    ? .passed("\(name), EN", "the driver does not respond while EN is low")
                    : .failed(
                        "\(name), EN", .noDriver,
                        "the driver responds while the board holds EN low: EN is tied high",
                        advice: [ActuatorFacts.enableAdvice]))
            try calibrate(actuator, name, &checks)
        }
    }

    /// Returns the check for a failed diagnosis. A shorted actuator also triggers the over-current
    /// protection of the chip.
    private func disconnection(_ name: String, _ status: ActuatorStatus) throws -> AcceptanceCheck {
        let faults = try board.status().faults
        if !faults.isDisjoint(with: [.overCurrent, .overTemperature, .chipReset]) {
            let error = ToolError("the chip ended the diagnosis", faults, of: board)
            return check("\(name), connection", error)
        }
        guard status.diagnosis == .failed else {
            return .failed(
                "\(name), connection", .noDriver,
                "the diagnosis ended with \"\(status.diagnosis)\"",
                advice: faults.advice(on: board.welcome.kind))
        }
        return .failed(
            "\(name), connection", .actuatorFault,
            "no actuator is connected, or the actuator is shorted or of the other kind",
            advice: [
                "unplug the board and measure OUT+ to OUT-: 8 to 70 ohms are correct",
                "`bridge actuator show` shows the configured kind",
            ])
    }

    private func calibrate(
        _ actuator: ActuatorStatus, _ name: String, _ checks: inout [AcceptanceCheck]
    ) throws {
        var backEMF: [UInt8] = []
        for _ in 0..<Self.calibrations {
            let ((status, _), pause) = try measuringPauses {
                try board.calibrate(actuator.actuator, while: $0)
            }
            guard isWanted() else { return }
            guard status.calibration == .passed else {
                guard !hasPaused(for: pause, name, &checks) else { return }
                checks.append(
                    .failed(
                        "\(name), calibration", .actuatorFault,
                        "the calibration ended with \"\(status.calibration)\", although an actuator "
                            + "is connected: it is not the configured \(actuator.kind), "
                            + "or it is blocked or loose",
                        advice: [
                            "mount the actuator as it will be used",
                            "`bridge actuator set` configures another actuator",
                        ]))
                return
            }
            let image = try board.link.configuration(ofActuator: actuator.actuator).image
            backEMF.append(image[Self.backEMF])
        }
        let spread = Double(backEMF.max()! - backEMF.min()!)
        checks.append(
            AcceptanceCheck(
                "\(name), spread of the back-EMF of \(Self.calibrations) calibrations", spread,
                "steps", most: 12, .actuatorFault, cause: "the actuator is loose or blocked",
                advice: "mount the actuator as it will be used"))
    }

    /// Returns true if this program was paused for so long that the board may have ended a
    /// measurement. In this case, appends checks that state this cause.
    func hasPaused(
        for pause: Microseconds, _ name: String, _ checks: inout [AcceptanceCheck]
    ) -> Bool {
        let check = Self.pauses(pause)
        guard check.verdict != .passed else { return false }
        checks += [check, .skipped(name, "this computer was paused in the meantime")]
        return true
    }

    /// The register A_CAL_BEMF of the chip, which contains the back-EMF of the calibration.
    private static let backEMF: UInt8 = 0x19

    // MARK: Drive

    /// Measures the supply voltage and the resonance while each actuator is driven at a low level
    /// and then at full level.
    func driveActuators(_ checks: inout [AcceptanceCheck]) throws {
        for actuator in try drivable(for: .drive, &checks) where isWanted() {
            let name = Self.name(actuator.actuator)
            let before = try board.status()
            let light = try held(0.3, actuator)
            guard isWanted() else { return }
            let full = try held(1, actuator)
            guard isWanted() else { return }
            checks.append(try faults(name, since: before))
            checks += supply(name, light, full)
            checks += resonance(name, full)
            try measureFrequency(actuator, &checks)
        }
    }

    /// Plays a constant intensity for half a second, and returns the values that the chip measured
    /// during that time.
    private func held(_ intensity: Double, _ actuator: ActuatorStatus) throws -> ActuatorStatus {
        try play(Self.hold(intensity, for: .milliseconds(500)), on: [actuator])
        return try board.waitUntilSettled(actuator.actuator)
    }

    private func faults(_ name: String, since before: Status) throws -> AcceptanceCheck {
        let status = try board.status()
        guard status.faultTotal != before.faultTotal else {
            return .passed("\(name), faults while driven", "none")
        }
        return check(
            "\(name), faults while driven",
            ToolError("\(name) reported faults", status.faults, of: board))
    }

    private func supply(
        _ name: String, _ light: ActuatorStatus, _ full: ActuatorStatus
    ) -> [AcceptanceCheck] {
        guard full.supply > 0, light.supply > 0 else {
            return [
                .failed(
                    "\(name), supply", .inputOutput,
                    "the chip did not measure it while the actuator was driven",
                    advice: [board.welcome.kind.flashCommand(port: "PORT")])
            ]
        }
        let sag = Double(light.supply) - Double(full.supply)
        return [
            AcceptanceCheck(
                "\(name), supply at full level", Double(full.supply) / 1_000, "V", least: 3,
                .supplyFault, cause: "the supply of the driver is too low",
                advice: "use a better cable or a powered hub, or charge the battery"),
            AcceptanceCheck(
                "\(name), sag of the supply", sag / 1_000, "V", most: 0.25, .supplyFault,
                cause: "the supply voltage drops under the load of the actuator",
                advice: "use a shorter or thicker cable, and a capacitor of 100 µF at the driver"),
        ]
    }

    private func resonance(_ name: String, _ status: ActuatorStatus) -> [AcceptanceCheck] {
        guard status.kind == .lra else { return [] }
        guard let measured = status.measuredResonance else {
            return [.skipped("\(name), resonance", "the chip measures it only in a closed loop")]
        }
        let configured = Double(status.resonance) / 10
        return [
            AcceptanceCheck(
                "\(name), resonance", measured, "Hz",
                least: configured * BoardCheck.resonanceTolerance.lowerBound,
                most: configured * BoardCheck.resonanceTolerance.upperBound, .actuatorFault,
                cause: "the actuator does not resonate at the configured "
                    + "\(configured.text(decimals: 0)) Hz",
                advice: "`bridge actuator list` shows the names of actuators, and `bridge actuator "
                    + "set NAME --actuator \(status.actuator)` configures one")
        ]
    }

    // MARK: Events

    private static let taps = 1_000

    /// Plays 1,000 taps, and uses the counters of the board to check the timing of the taps.
    func playTaps(_ checks: inout [AcceptanceCheck]) throws {
        let actuators = try drivable(for: .events, &checks)
        guard !actuators.isEmpty else { return }
        let taps = (0..<Self.taps).map { index in
            HapticEvent(
                .hapticTransient, time: Microseconds(index) * 10_000, intensity: 0.6, sharpness: 1)
        }
        let before = try board.status()
        let (progress, pause) = try play(HapticPattern(events: taps), on: actuators)
        guard isWanted() else { return }
        checks.append(Self.pauses(pause))
        let after = try board.status()
        let kind = board.welcome.kind
        let slow = after.state.contains(.slowBus) ? BoardKind.slowBusLateness : 0
        let latest = AcceptanceCheck(
            "1,000 taps, latest write", Double(progress.latestAtMost), "µs",
            most: Double(kind.writeLateness(actuators: actuators.count) + slow),
            cause: kind.isPolled
                ? "loop() of the sketch takes too long" : "the board or its bus is overloaded",
            advice: kind.isPolled ? "keep loop() below 1 ms" : "shorten the wires of the bus")
        let isKnown = progress.latest != nil || latest.verdict == .passed
        checks.append(
            isKnown
                ? latest
                : .skipped(
                    latest.name,
                    "an earlier write was \(before.latest) µs late, and the board reports only "
                        + "the maximum since its start: restart the board, and repeat the step"))
        let counters: [(String, Int)] = [
            ("late writes", progress.lateEvents), ("skipped taps", progress.skippedTaps),
            ("underruns", progress.underruns),
            ("errors of the bus", Int(after.busErrors &- before.busErrors)),
            ("resets of a chip", Int(after.chipResets &- before.chipResets)),
        ]
        for (name, count) in counters {
            checks.append(AcceptanceCheck(name, Double(count), most: 0))
        }
    }
}
