// AcceptanceRun: carries out the steps of an acceptance test on a board.

import AcceptanceReports
import BridgeLink
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import SerialPorts
import ToolSupport

/// An acceptance test of a connected board. Ctrl-C ends the current step; the actuators then come
/// to rest.
struct AcceptanceRun {
    let board: HapticBoard
    /// The person who answers the questions; nil if there is none.
    let person: Person?
    /// The logic analyzer at the bus; nil if there is none.
    var analyzer: BusAnalyzer?

    /// Carries out a step. An error that ends the step becomes a failed check, and an interruption
    /// an interrupted one. When the function returns, the actuators are at rest or the board
    /// brings them to rest by itself.
    func result(of step: AcceptanceStep) -> AcceptanceReport.Step {
        let begun = Link.now()
        let log = FrameLog(begun: begun)
        log.attach(to: board)
        defer { board.link.frameObserver = nil }
        var checks: [AcceptanceCheck] = []
        do {
            // A new session, so that the step can be replayed by itself.
            try board.reconnect { !Interruption.isRequested }
            try carryOut(step, &checks)
        } catch {
            if !Interruption.isRequested { checks.append(failure(error)) }
        }
        if Interruption.isRequested {
            checks.append(.interrupted)
            try? board.stop()
        }
        let seconds = Double(Link.now() - begun) / 1e6
        return .init(step: step, seconds: seconds, checks: checks, frames: log.frames)
    }

    /// False if the board has been disconnected.
    var boardAnswers: Bool { (try? board.status()) != nil }

    private func carryOut(_ step: AcceptanceStep, _ checks: inout [AcceptanceCheck]) throws {
        switch step {
        case .identity: try identify(&checks)
        case .actuator: try measureActuators(&checks)
        case .drive: try driveActuators(&checks)
        case .clock: try compareClocks(&checks)
        case .link: try measureRoundTrips(&checks)
        case .events: try playTaps(&checks)
        case .bus: try playForWitness(&checks)
        case .rest: try comeToRest(&checks)
        case .person: try askPerson(&checks)
        case .hands: try disturb(&checks)
        }
    }

    /// Returns the check for an error that has ended a step. A reset of the board is explained by
    /// its cause.
    private func failure(_ error: any Error) -> AcceptanceCheck {
        switch error {
        case LinkEnd.sessionLost, PlaybackError.link(.sessionLost):
            return .failed(
                "resets", .supplyFault,
                "the board was reset during the step (\(board.welcome.resetCause))",
                advice: [
                    "if it is reset whenever the actuator starts, its supply is too weak: use "
                        + "another cable or a powered hub, and supply the driver separately",
                    "if nothing is connected to its reset pin, replace the board",
                ])
        default:
            let cause = ToolError.explaining(error, at: board)
            return check("step", ToolError(cause, port: board.path))
        }
    }

    /// Returns a failed check for an error, without the path of the port.
    func check(_ name: String, _ error: ToolError) -> AcceptanceCheck {
        func anonymous(_ text: String) -> String {
            text.replacingOccurrences(of: "\(board.path): ", with: "")
                .replacingOccurrences(of: board.path, with: "PORT")
        }
        return .failed(
            name, error.status, anonymous(error.message), advice: error.advice.map(anonymous))
    }

    // MARK: Actuators

    /// Returns the status of each actuator that can be driven. For every other actuator, appends a
    /// skipped check. Only the step that diagnoses actuators drives one whose diagnosis has failed.
    func drivable(for step: AcceptanceStep, _ checks: inout [AcceptanceCheck]) throws
        -> [ActuatorStatus]
    {
        let all = try board.waitUntilSettled()
        return all.filter { actuator in
            let isDrivable = actuator.state == .atRest || actuator.state == .awake
            let isDisconnected = actuator.diagnosis == .failed && step != .actuator
            if !isDrivable || isDisconnected {
                checks.append(
                    .skipped(
                        Self.name(actuator.actuator),
                        isDrivable
                            ? "its last diagnosis has failed; see the step \"actuator\""
                            : "its state is \"\(actuator.state)\"; see the step \"identity\""))
            }
            return isDrivable && !isDisconnected
        }
    }

    /// Returns the name of an actuator for checks.
    static func name(_ actuator: UInt8) -> String { "actuator \(actuator)" }

    /// Returns a mask of actuators.
    static func mask(_ actuators: [ActuatorStatus]) -> ActuatorMask {
        actuators.reduce(into: []) { $0.insert(ActuatorMask(index: Int($1.actuator))) }
    }

    // MARK: Playing

    /// Returns a pattern that holds an intensity.
    static func hold(_ intensity: Double, for duration: Microseconds) -> HapticPattern {
        HapticPattern(events: [
            HapticEvent(
                .hapticContinuous, time: 0, duration: duration, intensity: intensity, sharpness: 0.5
            )
        ])
    }

    /// Plays a pattern to its end, and returns the progress and the longest time for which this
    /// program did not run in the meantime, in microseconds.
    @discardableResult
    func play(_ pattern: HapticPattern, on actuators: [ActuatorStatus]) throws -> (
        progress: PlaybackProgress, pause: Microseconds
    ) {
        let compiled = try compiled(pattern, for: actuators)
        var (last, pause) = (Link.now(), Microseconds(0))
        let summary = try board.play(compiled, on: Self.mask(actuators)) { _ in
            let now = Link.now()
            pause = max(pause, now - last)
            last = now
            return !Interruption.isRequested
        }
        return (summary.progress, pause)
    }

    /// Returns a pattern compiled for actuators.
    func compiled(_ pattern: HapticPattern, for actuators: [ActuatorStatus]) throws
        -> CompiledPattern
    {
        HapticCompiler.compile(
            pattern, profile: DeviceProfile(of: try configurations(of: actuators)) ?? .reference)
    }

    /// Returns the configurations of actuators, in the same order.
    func configurations(of actuators: [ActuatorStatus]) throws -> [ActuatorConfiguration] {
        try actuators.map { try board.link.configuration(ofActuator: $0.actuator) }
    }
}
