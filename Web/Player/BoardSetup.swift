// BoardSetup: the configuration or the calibration of an actuator, from the command until its result
// is stored on the board. `bridge actuator set` and `bridge calibrate` have the same effect.

import BridgeLink
import CBridgeProtocol
import DRV2605
import HapticBoards

/// A change of an actuator that the user has requested. The next command is sent when the device
/// has carried out the preceding command and the actuator has come to rest.
struct BoardSetup {
    private enum Step {
        case configure, calibrate, save, diagnose
    }

    let actuator: UInt8
    /// The beginning of the success message.
    private let success: String
    private var step: Step
    private var request: RequestID
    /// True after the device has carried out the command; the actuator may still be moving.
    private var isCarriedOut = false
    /// The time from which the values survive a loss of power; nil before SAVE is carried out, and
    /// after the board has been asked whether its storage has failed.
    private(set) var storedAt: HostTime?
    /// The outcome of a calibration that has failed.
    private var failure: CalibrationResult = .none

    /// The end of a setup.
    struct Result {
        var hasFailed = false
        var message: String
        var advice: [String] = []
    }

    /// Begins to configure an actuator.
    ///
    /// - Parameter former: the current configuration of the actuator, whose calibration is kept if
    ///   it belongs to the same values.
    init(
        _ actuator: UInt8, _ configuration: ActuatorConfiguration,
        former: ActuatorConfiguration?, _ session: inout LinkSession
    ) {
        var configuration = configuration
        var remark = ""
        if let former {
            configuration.locality = former.locality
            if !configuration.keepCalibration(of: former), former.calibration == .passed {
                remark =
                    "; its calibration was made for other values and was discarded: calibrate it"
            }
        }
        self.actuator = actuator
        success = "actuator \(actuator) is configured as \(configuration.name)" + remark
        step = .configure
        request = session.send(.configure(configuration, actuator: actuator))
    }

    /// Begins to calibrate an actuator, which vibrates for about a second.
    ///
    /// - Parameter status: the latest status of the board. The faults in this status are cleared,
    ///   so that new faults are detected.
    init(calibrating actuator: UInt8, after status: Status?, _ session: inout LinkSession) {
        if let status, !status.faults.isEmpty {
            session.send(
                .clearFaults(ClearFaults(faults: status.faults, faultTotal: status.faultTotal)))
        }
        self.actuator = actuator
        success = "actuator \(actuator) is calibrated"
        step = .calibrate
        request = session.send(.calibrate(actuator: actuator))
    }

    /// True after SAVE has been sent, because SAVE can no longer be stopped once the board has
    /// received it.
    var isStoring: Bool { step == .save }

    /// Processes an event of the session. Returns the result when the setup has ended.
    mutating func handle(
        _ event: LinkEvent, _ session: inout LinkSession, on welcome: Welcome, at now: HostTime
    ) -> Result? {
        switch event {
        case .carriedOut(request) where step == .save:
            storedAt = now + Microseconds(BRIDGE_SAVE_MAX_US)
            return nil
        case .status(let status, request):
            guard !status.faults.contains(.storage) else {
                return Result(
                    hasFailed: true, message: success + ", but the result is not stored",
                    advice: status.faults.intersection(.storage).advice(on: welcome.kind))
            }
            return Result(message: success + ", and the result is stored on the board")
        case .carriedOut(request):
            isCarriedOut = true
            session.ask(.actuator(actuator))
            return nil
        case .rejected(request, let reject):
            return Result(
                hasFailed: true,
                message: "actuator \(actuator): the board refuses the values: \(reject)",
                advice: ["choose the actuator that is connected"])
        case .dropped(request):
            return Result(
                hasFailed: true, message: "actuator \(actuator): stopped; nothing was stored")
        case .outcomeUnknown(request), .unanswered(request):
            return Result(
                hasFailed: true,
                message:
                    "actuator \(actuator): the board did not report whether the result is stored",
                advice: ["try again"])
        case .actuator(let status, _) where status.actuator == actuator && isCarriedOut:
            return status.isSettled ? next(status, &session, on: welcome) : nil
        default: return nil
        }
    }

    /// Asks the board whether its storage has failed, when the values should be stored (SPEC 8.5).
    mutating func advance(_ session: inout LinkSession, at now: HostTime) {
        guard let storedAt, now >= storedAt else { return }
        self.storedAt = nil
        request = session.ask(.status)
    }

    /// Continues when the actuator is at rest after a command.
    private mutating func next(
        _ status: ActuatorStatus, _ session: inout LinkSession, on welcome: Welcome
    ) -> Result? {
        switch step {
        case .configure where status.state != .atRest:
            return Result(
                hasFailed: true,
                message:
                    "actuator \(actuator) is not at rest after its configuration: \(status.state)")
        case .calibrate where status.calibration != .passed:
            failure = status.calibration
            send(.diagnose(actuator: actuator), as: .diagnose, &session)
            return nil
        case .configure, .calibrate:
            guard welcome.features.contains(.storage) else {
                return Result(
                    message: success
                        + "; the board has no memory for the result, and loses it without power")
            }
            send(.save(actuator: actuator), as: .save, &session)
            return nil
        case .save: return nil
        case .diagnose: return failed(status)
        }
    }

    private mutating func send(_ command: Command, as step: Step, _ session: inout LinkSession) {
        request = session.send(command)
        self.step = step
        isCarriedOut = false
    }

    /// Returns the cause of a failed calibration that the diagnosis has found.
    private func failed(_ status: ActuatorStatus) -> Result {
        let cause = failure == .timedOut ? "did not end within 2 s" : "has failed (\(failure))"
        let message = "actuator \(actuator): the calibration \(cause)"
        guard status.diagnosis.hasPassed else {
            return Result(
                hasFailed: true,
                message: message + "; the actuator is open, shorted or not connected",
                advice: ["unplug the board and measure OUT+ to OUT-: 8 to 70 ohms are correct"])
        }
        return Result(
            hasFailed: true,
            message: message + ", although an actuator is connected and not shorted",
            advice: [
                "mount the actuator as it will be used: it may be loose or blocked",
                "compare the actuator with the configured one", "nothing was stored",
            ])
    }
}

extension ActuatorStatus {
    /// True if the actuator is neither being set up nor calibrated, and is not coming to rest.
    var isSettled: Bool {
        state != .starting && state != .comingToRest && state != .calibrating
    }
}

extension NamedActuator {
    /// Returns the configuration for the actuator at a chip.
    func configuration(for chip: HapticChip) -> ActuatorConfiguration {
        ActuatorConfiguration(
            kind: kind, resonance: resonance, rated: UInt16((rated * 1_000).rounded()),
            overdrive: UInt16((overdrive * 1_000).rounded()), chip: chip, name: storedName,
            plant: plant)
    }
}
