// Person: the person who feels the actuators during an acceptance test.

import AcceptanceReports
import BridgeLink
import HapticBridge
import HapticPatterns
import SerialPorts
import ToolSupport

/// The person who answers the questions of an acceptance test.
enum Person {
    /// A person at the terminal of the program.
    case atTerminal
    /// An imitation for tests of the program, which feels everything and pulls no cable.
    case simulated

    /// Asks a yes-or-no question. Returns nil without a clear answer.
    func decides(_ question: String) -> Bool? {
        switch self {
        case .atTerminal: Terminal.decision(question)
        case .simulated: true
        }
    }

    /// Returns the check of an answer.
    func check(
        _ name: String, _ question: String, yes: String, no: String, advice: String
    ) -> AcceptanceCheck {
        switch decides(question) {
        case true?: .passed(name, yes)
        case false?: .failed(name, .actuatorFault, no, advice: [advice])
        case nil: .skipped(name, "there was no clear answer")
        }
    }
}

extension AcceptanceRun {
    /// Asks whether each actuator is felt, and lets the person pull the cable.
    func askPerson(_ checks: inout [AcceptanceCheck]) throws {
        guard let person else {
            checks.append(.skipped("person", "standard input is not a terminal"))
            return
        }
        let actuators = try drivable(for: .person, &checks)
        for actuator in actuators where !Interruption.isRequested {
            try feel(actuator, person, &checks)
        }
        guard !actuators.isEmpty, !Interruption.isRequested else { return }
        try pullCable(actuators, person, &checks)
        checks.append(
            person.check(
                "temperature", "Are the actuator and its driver at most hand-warm?",
                yes: "at most hand-warm", no: "the actuator or its driver is hot",
                advice:
                    "compare the rated voltage that `bridge actuator show` prints with the data "
                    + "sheet of the actuator"))
    }

    private func feel(
        _ actuator: ActuatorStatus, _ person: Person, _ checks: inout [AcceptanceCheck]
    ) throws {
        let name = Self.name(actuator.actuator)
        let questions: [(String, HapticPattern, String)] = [
            ("tap", Self.tap, "Did you feel one short tap of \(name)?"),
            (
                "vibration", Self.hold(1, for: .milliseconds(800)),
                "Did you feel a strong vibration of \(name) for about a second?"
            ),
        ]
        for (what, pattern, question) in questions {
            try play(pattern, on: [actuator])
            guard !Interruption.isRequested else { return }
            let answer = person.check(
                "\(name), \(what)", question, yes: "felt", no: "it was not felt as it was played",
                advice: "hold the actuator between two fingers, and repeat the test")
            guard !Interruption.isRequested else { return }
            checks.append(answer)
        }
    }

    private static let tap = HapticPattern(events: [
        HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: 1)
    ])

    // MARK: The cable

    /// The time that the person may take to pull the cable.
    private static let vibration: Microseconds = .milliseconds(20_000)

    /// Lets the person pull the cable while the actuators vibrate, and plug it in again.
    private func pullCable(
        _ actuators: [ActuatorStatus], _ person: Person, _ checks: inout [AcceptanceCheck]
    ) throws {
        let name = "pulled cable"
        guard case .atTerminal = person, board.path != VirtualTransport.name else {
            checks.append(.skipped(name, "there is no person to pull the cable"))
            return
        }
        let question = "The actuators will vibrate. Will you then pull the USB cable?"
        guard person.decides(question) == true else {
            checks.append(.skipped(name, "the person declined to pull the cable"))
            return
        }
        guard try isPulled(actuators) else {
            checks.append(.skipped(name, "the cable was not pulled within 20 s"))
            return
        }
        let hasStopped = person.decides("Did the vibration end immediately?") == true
        Terminal.standardError.write("Plug the cable in again.\n")
        try board.reconnect(within: .seconds(120)) { !Interruption.isRequested }
        let states = try actuators.map { try board.waitUntilSettled($0.actuator).state }
        let isAtRest = states.allSatisfy { $0 == .atRest }
        checks.append(
            hasStopped && isAtRest
                ? .passed(name, "the vibration ended, and the board was at rest when it returned")
                : .failed(
                    name, .inputOutput, "the vibration did not end, or began again",
                    advice: ["do not use this board unattended, and send the report"]))
    }

    /// Vibrates until the cable is pulled. Returns false if it is not pulled in time.
    private func isPulled(_ actuators: [ActuatorStatus]) throws -> Bool {
        do {
            try play(Self.hold(0.5, for: Self.vibration), on: actuators)
            return false
        } catch is TransportError, is LinkEnd, is PlaybackError { return true }
    }
}
