// The step `hands` of an acceptance test, in which a person disturbs the board while its actuators
// vibrate.

import AcceptanceReports
import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

/// A disturbance of the board by a person.
private enum Disturbance: CaseIterable {
    case cable, reset, suspension, power

    /// The name of the check.
    var name: String {
        switch self {
        case .cable: "pulled cable"
        case .reset: "reset button"
        case .suspension: "suspended computer"
        case .power: "power cut while storing"
        }
    }

    /// The question that asks whether the person will cause the disturbance.
    var request: String {
        switch self {
        case .cable: "The actuators will vibrate. Will you then pull the USB cable, within 20 s?"
        case .reset:
            "The actuators will vibrate. Will you then press the reset button of the board, "
                + "within 20 s?"
        case .suspension:
            "The actuators will vibrate. Will you then suspend this computer for ten seconds, "
                + "within 20 s?"
        case .power:
            "The board will store its configuration repeatedly. Will you then cut its power, "
                + "within 20 s, by pulling the USB cable?"
        }
    }

    /// The question about the vibration; nil if the actuators do not vibrate.
    var question: String? {
        switch self {
        case .cable, .reset: "Did the vibration end immediately?"
        case .suspension: "Did the vibration end within a second of the suspension?"
        case .power: nil
        }
    }

    /// True if the person must connect the board again.
    var disconnects: Bool { self == .cable || self == .power }
}

extension AcceptanceRun {
    /// Lets the person disturb the board in several ways. The frames of this step are not recorded,
    /// because a replay cannot repeat the actions of the person.
    func disturb(_ checks: inout [AcceptanceCheck]) throws {
        board.link.frameObserver = nil
        guard let person else { return checks.append(Self.nobody) }
        guard board.path != VirtualTransport.name else {
            return checks.append(.skipped("hands", "the virtual board has no cable"))
        }
        let actuators = try drivable(for: .hands, &checks)
        guard !actuators.isEmpty else { return }
        for disturbance in Disturbance.allCases where isWanted() {
            let check = try result(of: disturbance, actuators, person, &checks)
            guard isWanted() else { return }
            if check.verdict != .failed { checks.removeAll { $0 == Self.mayDiffer } }
            checks.append(check)
        }
    }

    /// The maximum time for the person to act, in microseconds.
    private static let patience: Microseconds = .milliseconds(20_000)

    private func result(
        of disturbance: Disturbance, _ actuators: [ActuatorStatus], _ person: Person,
        _ checks: inout [AcceptanceCheck]
    ) throws -> AcceptanceCheck {
        let name = disturbance.name
        guard person.agrees(to: disturbance.request) else {
            return .skipped(name, Self.declined)
        }
        let configurations = try configurations(of: actuators)
        guard try isDisturbed(by: disturbance, actuators) else {
            return .skipped(name, "nothing has happened within 20 s")
        }
        if disturbance == .power { checks.append(Self.mayDiffer) }
        let answer = disturbance.question.map(person.decides) ?? true
        if disturbance.disconnects {
            Terminal.standardError.write("Connect the board again within two minutes.\n")
        }
        do {
            try board.reconnect(within: .seconds(120)) { !Interruption.isRequested }
        } catch is TransportError {
            return .failed(
                name, .inputOutput, "the board was not connected again within two minutes",
                advice: ["connect the board, and repeat the step"])
        }
        if let otherBoard = otherBoard(name) { return otherBoard }
        let isAtRest = try actuators.allSatisfy {
            try board.waitUntilSettled($0.actuator).state == .atRest
        }
        guard answer != false, isAtRest else {
            return .failed(
                name, .inputOutput, "the vibration did not end, or began again",
                advice: ["do not use this board unattended, and send the report"])
        }
        guard try disturbance != .power || areStored(configurations, of: actuators) else {
            return .failed(
                name, .inputOutput, "the stored configuration is damaged",
                advice: ["configure the actuators again, and send the report"])
        }
        guard answer != nil else { return .skipped(name, AcceptanceCheck.noAnswer) }
        return .passed(name, "the board was at rest after it had returned")
    }

    /// Drives the actuators, or stores their configurations, until the link is disturbed. Returns
    /// false if the link was not disturbed in time.
    private func isDisturbed(
        by disturbance: Disturbance, _ actuators: [ActuatorStatus]
    ) throws -> Bool {
        do {
            if disturbance == .power {
                try store(actuators)
            } else {
                try play(Self.hold(0.5, for: Self.patience), on: actuators)
            }
            return false
        } catch is TransportError, is LinkEnd, is PlaybackError { return true }
    }

    // MARK: Storage

    /// Stores the configurations of actuators repeatedly, alternately with an altered and with the
    /// correct result of the calibration, because a board does not write a configuration that is
    /// already stored. The altered result has no effect, and the step `actuator` records the
    /// correct result again. A locked actuator keeps its result.
    private func store(_ actuators: [ActuatorStatus]) throws {
        let own = try configurations(of: actuators)
        let end = Link.now() + Self.patience
        while Link.now() < end, isWanted() {
            try store(own.map(Self.altered), in: actuators)
            try store(own, in: actuators)
        }
    }

    /// The check that is reported if the step ends before the configurations are stored again.
    private static let mayDiffer = AcceptanceCheck(
        name: "calibration", verdict: .interrupted,
        note: "the board may have stored another result of the calibration",
        advice: ["`bridge calibrate` calibrates the actuators again"])

    private static func altered(_ configuration: ActuatorConfiguration) -> ActuatorConfiguration {
        var altered = configuration
        altered.calibration = configuration.calibration == .none ? .failed : .none
        return altered
    }

    private func store(
        _ configurations: [ActuatorConfiguration], in actuators: [ActuatorStatus]
    ) throws {
        for (actuator, configuration) in zip(actuators, configurations) {
            try board.link.carryOut(.configure(configuration, actuator: actuator.actuator))
            try board.waitUntilSettled(actuator.actuator)
            if !isWanted() {
                // The process is about to end, so it does not wait until the configuration is
                // stored.
                try board.link.carryOut(.save(actuator: actuator.actuator))
            } else {
                try board.link.save(actuator.actuator)
            }
        }
    }

    /// Returns true if each actuator has its own or the altered configuration, and then stores each
    /// actuator's own configuration again. Any other configuration is kept, because it may belong
    /// to another board.
    private func areStored(
        _ own: [ActuatorConfiguration], of actuators: [ActuatorStatus]
    ) throws -> Bool {
        let found = try configurations(of: actuators)
        guard zip(own, found).allSatisfy({ $0 == $1 || Self.altered($0) == $1 }) else {
            return false
        }
        try store(own, in: actuators)
        return true
    }
}
