// Person: the person who feels the actuators during an acceptance test, and the step `person`.

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
    /// A simulated person for tests of this program, who feels every vibration but declines to warm
    /// the actuators and to disturb the board.
    case simulated

    /// Asks a yes-or-no question. Returns nil if there is no clear answer.
    func decides(_ question: String) -> Bool? {
        switch self {
        case .atTerminal: Terminal.decision(question)
        case .simulated: true
        }
    }

    /// Asks whether the person will do something.
    func agrees(to question: String) -> Bool {
        switch self {
        case .atTerminal: Terminal.decision(question) == true
        case .simulated: false
        }
    }

    /// Announces a vibration, and returns whether the person agrees to it; nil if there is no clear
    /// answer.
    func permits(_ announcement: String) -> Bool? { decides("\(announcement) May it begin?") }

    /// Asks a question, and returns the check for the answer.
    func check(
        _ name: String, _ question: String, yes: String, no: String, advice: String
    ) -> AcceptanceCheck {
        switch decides(question) {
        case true?: .passed(name, yes)
        case false?: .failed(name, .actuatorFault, no, advice: [advice])
        case nil: .skipped(name, AcceptanceCheck.noAnswer)
        }
    }
}

extension AcceptanceRun {
    /// Asks whether the vibrations of each actuator are felt, and how warm the actuators become.
    func askPerson(_ checks: inout [AcceptanceCheck]) throws {
        guard let person else { return checks.append(Self.nobody) }
        let actuators = try drivable(for: .person, &checks)
        var hasVibrated = false
        for actuator in actuators where isWanted() {
            hasVibrated = try feel(actuator, person, &checks) || hasVibrated
        }
        guard hasVibrated, isWanted() else { return }
        let isLong = person.agrees(to: "Let the actuators vibrate for ten minutes, to warm them?")
        if isLong { try play(Self.hold(0.5, for: .milliseconds(600_000)), on: actuators) }
        guard isWanted() else { return }
        checks.append(
            person.check(
                "temperature", "Are the actuators and their drivers no warmer than your hand?",
                yes: "no warmer than the hand" + (isLong ? " after ten minutes" : ""),
                no: "an actuator or its driver is hot",
                advice:
                    "compare the rated voltage that `bridge actuator show` prints with the data "
                    + "sheet of the actuator"))
    }

    /// The check that is added if a step requires a person but no person is present.
    static let nobody = AcceptanceCheck.skipped(
        "person", "standard input is not a terminal")

    /// Asks whether a tap, a strong vibration and a weak vibration are felt at the location of an
    /// actuator. Returns false if the person has not agreed to the vibrations.
    private func feel(
        _ actuator: ActuatorStatus, _ person: Person, _ checks: inout [AcceptanceCheck]
    ) throws -> Bool {
        let name = Self.name(actuator.actuator)
        let locality = try board.link.configuration(ofActuator: actuator.actuator).locality
        let place = locality == .default ? name : "\(name) (\(locality))"
        let questions: [(String, HapticPattern, String)] = [
            ("tap", Self.tap, "Did you feel one short tap of \(place)?"),
            (
                "vibrations", Self.strongAndWeak,
                "Did you feel a strong vibration of \(place), and then a weaker one?"
            ),
        ]
        let isPermitted = person.permits(
            "Touch \(place), which now vibrates: one short tap and, after your answer, a strong "
                + "vibration and a weaker one.")
        guard isWanted() else { return false }
        guard isPermitted == true else {
            let reason = isPermitted == nil ? AcceptanceCheck.noAnswer : Self.declined
            checks.append(.skipped(name, reason))
            return false
        }
        for (what, pattern, question) in questions {
            try play(pattern, on: [actuator])
            guard isWanted() else { return true }
            let answer = person.check(
                "\(name), \(what)", question, yes: "felt",
                no: "the vibration was not felt as it was played",
                advice: "hold the actuator between two fingers, and repeat the test")
            guard isWanted() else { return true }
            checks.append(answer)
        }
        if actuator.kind == .wideBand { try feelFrequency(actuator, place, person, &checks) }
        return true
    }

    /// Asks whether the frequency of an actuator changes during a vibration. The data sheet of the
    /// chip does not state when the chip uses a frequency that is written while it drives, so both
    /// answers are findings, not faults.
    private func feelFrequency(
        _ actuator: ActuatorStatus, _ place: String, _ person: Person,
        _ checks: inout [AcceptanceCheck]
    ) throws {
        guard isWanted() else { return }
        let name = "\(Self.name(actuator.actuator)), frequency"
        let band = try board.link.configuration(ofActuator: actuator.actuator).band
        guard band.flatMap({ Self.frequencies(of: $0) }) != nil else {
            return checks.append(.skipped(name, Self.narrow))
        }
        try play(Self.lowAndHigh, on: [actuator])
        guard isWanted() else { return }
        let question = "Did the vibration of \(place) change from low to high halfway through?"
        let answer = person.decides(question)
        checks.append(
            answer.map { .passed(name, Self.frequencyFinding($0)) }
                ?? .skipped(name, AcceptanceCheck.noAnswer))
    }

    /// The reason why a check is skipped: the person has not agreed to it.
    static let declined = "the person declined"

    private static let tap = HapticPattern(events: [
        HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: 1)
    ])

    /// A vibration whose frequency changes halfway through, without a rest.
    static let lowAndHigh = HapticPattern(
        events: [
            HapticEvent(
                .hapticContinuous, time: 0, duration: .milliseconds(2_000), intensity: 0.6,
                sharpness: 0)
        ],
        parameters: [HapticDynamicParameter(.hapticSharpnessControl, time: 1_000_000, value: 1)])

    private static let strongAndWeak = HapticPattern(
        events: [(0, 1.0), (1_200_000, 0.5)].map { time, intensity in
            HapticEvent(
                .hapticContinuous, time: time, duration: .milliseconds(800), intensity: intensity,
                sharpness: 0.5)
        })
}
