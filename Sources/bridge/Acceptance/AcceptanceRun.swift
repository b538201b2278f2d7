// AcceptanceRun: carries out the steps of an acceptance test on a board.

import AcceptanceReports
import BridgeLink
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import SerialPorts
import ToolSupport

/// An acceptance test of a connected board. Ctrl-C, or a stop by another program, ends the current
/// step and brings the actuators to rest.
struct AcceptanceRun {
    let board: HapticBoard
    private let use: ExclusiveUse
    /// The person who answers the questions; nil if no one can answer.
    let person: Person?
    /// The logic analyzer on the bus; nil if no analyzer is connected.
    let analyzer: BusAnalyzer?
    /// The WELCOME message from the board that is tested.
    private let tested: Welcome

    /// Creates a test of the connected board.
    init(board: HapticBoard, use: ExclusiveUse, person: Person?, analyzer: BusAnalyzer?) {
        (self.board, self.use, self.person, self.analyzer) = (board, use, person, analyzer)
        tested = board.welcome
    }

    /// Returns true while the test has not been interrupted. The method must be called every few
    /// milliseconds, because it also answers the queries of other programs.
    func isWanted() -> Bool { use.isWanted() }

    /// Carries out a step. An error that ends the step becomes a failed check, and an interruption
    /// becomes an interrupted check. When the function returns, the actuators are at rest, or the
    /// board brings them to rest on its own.
    func result(of step: AcceptanceStep) -> AcceptanceReport.Step {
        let begun = Link.now()
        let log = FrameLog(begun: begun)
        log.attach(to: board)
        defer { board.link.frameObserver = nil }
        var checks: [AcceptanceCheck] = []
        var isConnected = true
        do {
            // Each step begins with a new session, so that it can be replayed on its own.
            try board.reconnect { !Interruption.isRequested }
            if let otherBoard = otherBoard("board") {
                checks.append(otherBoard)
            } else {
                try carryOut(step, &checks)
            }
        } catch {
            isConnected = !(error is TransportError || error is CancellationError)
            if isWanted() { checks.append(failure(error)) }
        }
        if !isWanted() {
            checks.append(.interrupted)
            // A disconnected board has already brought its actuators to rest.
            if isConnected { try? board.stop() }
        }
        let seconds = Double(Link.now() - begun) / 1e6
        return .init(step: step, seconds: seconds, checks: checks, frames: log.frames)
    }

    /// True if the tested board answers; false if it has been disconnected. After a reset of the
    /// board, the first request begins a new session and fails.
    var boardAnswers: Bool {
        (0..<2).contains { _ in (try? board.status()) != nil } && otherBoard("board") == nil
    }

    /// Returns a failed check if another board has been connected in place of the tested one.
    func otherBoard(_ name: String) -> AcceptanceCheck? {
        let welcome = board.welcome
        guard
            welcome.kind != tested.kind || welcome.boardID != tested.boardID
                || welcome.firmware != tested.firmware || welcome.actuators != tested.actuators
        else { return nil }
        return .failed(
            name, .inputOutput, "another board was connected: \(welcome.kind)",
            advice: ["connect the board that is tested, and repeat the step"])
    }

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

    /// Returns the check for an error that has ended a step. If the board was reset, the check
    /// contains the cause of the reset.
    private func failure(_ error: any Error) -> AcceptanceCheck {
        switch error {
        case LinkEnd.sessionLost(let cause, _), PlaybackError.link(.sessionLost(let cause, _)):
            return Self.reset(by: cause)
        default:
            let cause = ToolError.explaining(error, at: board)
            return check("step", ToolError(cause, port: board.path))
        }
    }

    /// Returns the check for a reset of the board during a step.
    private static func reset(by cause: ResetCause) -> AcceptanceCheck {
        let supply =
            "if it is reset whenever the actuator starts, its supply is too weak: use another cable "
            + "or a powered hub, and supply the driver separately"
        let advice =
            switch cause {
            case .external:
                [
                    "if no one has pressed the reset button, disconnect its reset pin, and end "
                        + "other programs that open the port", supply,
                ]
            case .watchdog: ["the firmware did not respond to its watchdog: send the report"]
            default: [supply]
            }
        return .failed(
            "resets", cause == .watchdog ? .inputOutput : .supplyFault,
            "the board was reset during the step (\(cause))", advice: advice)
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
    /// skipped check. An actuator that has failed its diagnosis is driven only in the step that
    /// diagnoses actuators.
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

    /// Returns the name that checks use for an actuator.
    static func name(_ actuator: UInt8) -> String { "actuator \(actuator)" }

    /// Returns the mask that contains the given actuators.
    static func mask(_ actuators: [ActuatorStatus]) -> ActuatorMask {
        actuators.reduce(into: []) { $0.insert(ActuatorMask(index: Int($1.actuator))) }
    }

    // MARK: Playing

    /// Returns a pattern with a constant intensity.
    static func hold(_ intensity: Double, for duration: Microseconds) -> HapticPattern {
        HapticPattern(events: [
            HapticEvent(
                .hapticContinuous, time: 0, duration: duration, intensity: intensity, sharpness: 0.5
            )
        ])
    }

    /// Plays a pattern to its end. Returns the progress, and the longest pause of this program
    /// during the playback, in microseconds.
    @discardableResult
    func play(_ pattern: HapticPattern, on actuators: [ActuatorStatus]) throws -> (
        progress: PlaybackProgress, pause: Microseconds
    ) {
        let compiled = try compiled(pattern, for: actuators)
        let (summary, pause) = try measuringPauses { shallGoOn in
            try board.play(compiled, on: Self.mask(actuators)) { _ in shallGoOn() }
        }
        return (summary.progress, pause)
    }

    /// Performs `body`, which regularly calls its argument and ends if the argument returns false.
    /// Returns the result, and the longest time between two calls, in microseconds.
    func measuringPauses<Result>(
        _ body: (_ shallGoOn: () -> Bool) throws -> Result
    ) rethrows -> (Result, Microseconds) {
        var (last, pause) = (Link.now(), Microseconds(0))
        func record() {
            let now = Link.now()
            pause = max(pause, now - last)
            last = now
        }
        let result = try body {
            record()
            return isWanted()
        }
        record()
        return (result, pause)
    }

    /// Returns the pattern, compiled for the given actuators.
    func compiled(_ pattern: HapticPattern, for actuators: [ActuatorStatus]) throws
        -> CompiledPattern
    {
        HapticCompiler.compile(
            pattern, profile: DeviceProfile(of: try configurations(of: actuators)) ?? .reference)
    }

    /// Returns the configurations of actuators, in the order of the actuators.
    func configurations(of actuators: [ActuatorStatus]) throws -> [ActuatorConfiguration] {
        try actuators.map { try board.link.configuration(ofActuator: $0.actuator) }
    }
}
