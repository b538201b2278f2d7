// Measurements with the accelerometer of the board for an acceptance test: the end of a vibration,
// and the frequency of an actuator with a band.

import AcceptanceReports
import BridgeLink
import HapticBridge
import HapticCompiler
import Prediction
import SerialPorts
import ToolSupport

extension AcceptanceRun {
    /// The length of a recording, which contains a vibration and its end.
    private static let recordingLength = Duration.milliseconds(1_400)
    /// The time at rest before the vibration, in microseconds.
    private static let restBefore: Microseconds = 60_000

    /// Performs `body`, which starts and ends a vibration, and returns the host time at which it
    /// began to end the vibration. If the board has an accelerometer, appends a check of the time
    /// from then until the accelerometer senses no vibration.
    ///
    /// - Parameters:
    ///   - name: the name of the check.
    ///   - most: the greatest time that passes the check, in milliseconds.
    func measuringEnd(
        _ name: String, of actuators: [ActuatorStatus], most: Double,
        _ checks: inout [AcceptanceCheck], _ body: () throws -> HostTime?
    ) throws {
        guard board.welcome.features.contains(.sensor) else {
            _ = try body()
            return
        }
        // A coin LRA moves perpendicular to its flat sides, and an ERM in the plane of its
        // rotation.
        let axis = actuators.contains { $0.kind == .lra } ? SensorAxis.z : .x
        var ended: HostTime?
        var begun = Link.now()
        let recorded: RecordedAcceleration
        do {
            recorded = try board.record(
                axis, for: Self.recordingLength, while: isWanted,
                during: {
                    try board.link.run(until: Link.now() + Self.restBefore)
                    begun = Link.now()
                    ended = try body()
                }
            ).acceleration
        } catch is CancellationError {
            return
        } catch let error as RecordingError {
            return checks.append(.skipped(name, "\(error)"))
        }
        guard let ended, isWanted() else { return }
        checks.append(check(name, recorded, begun, ended, most))
    }

    private func check(
        _ name: String, _ recorded: RecordedAcceleration, _ begun: HostTime, _ ended: HostTime,
        _ most: Double
    ) -> AcceptanceCheck {
        let clock = board.link.session.clock
        guard let start = clock.deviceTime(at: begun)?.time.stamp,
            let signal = MotionSignal(
                recorded.samples(since: start), range: recorded.properties.range)
        else { return .skipped(name, "the times of the samples are unknown") }
        let end = Double(ended - begun) * clock.rate
        guard
            let rest = MotionEnvelope(ofMotor: signal).rest(after: end, noise: signal.noise)
        else {
            return .skipped(name, Self.senses(no: "vibration along \(recorded.axis)"))
        }
        return AcceptanceCheck(
            name, max(0, rest - end) / 1_000, "ms", most: most, .actuatorFault,
            cause: "the accelerometer still senses a vibration",
            advice:
                "if the table or the mounting rings, put the board on foam, and repeat the step",
            "if the actuator still moves, do not use this board unattended, and report the file")
    }

    /// Measures whether the frequency of an actuator with a band changes during a vibration. The
    /// data sheet of the chip does not state when the chip uses a frequency that is written while it
    /// drives, so both results are findings, not faults. Does nothing if the board has no
    /// accelerometer.
    func measureFrequency(
        _ actuator: ActuatorStatus, _ checks: inout [AcceptanceCheck]
    ) throws {
        guard board.welcome.features.contains(.sensor), isWanted(),
            let band = try board.link.configuration(ofActuator: actuator.actuator).band
        else { return }
        let name = "\(Self.name(actuator.actuator)), measured frequency"
        guard let (lowest, highest) = Self.frequencies(of: band) else {
            return checks.append(.skipped(name, Self.narrow))
        }
        let recording: PlayedRecording
        do {
            recording = try board.record(
                .z, playing: compiled(Self.lowAndHigh, for: [actuator]),
                on: Self.mask([actuator]), while: isWanted)
        } catch is CancellationError {
            return
        } catch let error as RecordingError {
            return checks.append(.skipped(name, "\(error)"))
        }
        let signal = MotionSignal(
            recording.samples, range: recording.acceleration.properties.range)
        guard let low = signal?.frequency(in: 300_000...900_000),
            let high = signal?.frequency(in: 1_300_000...1_900_000),
            abs(low / lowest - 1) < Self.frequencyTolerance
        else {
            return checks.append(
                .skipped(
                    name, Self.senses(no: "vibration of \(lowest.text(decimals: 0)) Hz along z")))
        }
        let measured = "\(low.text(decimals: 0)) Hz, then \(high.text(decimals: 0)) Hz: "
        checks.append(
            .passed(name, measured + Self.frequencyFinding(high * high > lowest * highest)))
    }

    /// The minimum ratio between two frequencies whose difference is tested.
    private static let leastRatio = 1.5
    /// The reason why a change of the frequency is not tested: the pattern hardly changes it.
    static let narrow = "the frequencies of sharpness 0 and 1 differ by a factor below 1.5"

    /// Returns the frequencies of sharpness 0 and 1 in hertz; nil if they differ too little for a
    /// test of their change.
    static func frequencies(of band: ActuatorBand) -> (lowest: Double, highest: Double)? {
        guard let band = FrequencyBand(of: band) else { return nil }
        let (lowest, highest) = (band.frequency(ofSharpness: 0), band.frequency(ofSharpness: 1))
        return highest >= leastRatio * lowest ? (lowest, highest) : nil
    }

    /// The finding about the frequency of a chip that changes it during a vibration, or does not.
    static func frequencyFinding(_ changes: Bool) -> String {
        "the chip changes the frequency "
            + (changes ? "while it drives" : "only when it starts from rest")
    }

    private static func senses(no vibration: String) -> String {
        "the accelerometer senses no \(vibration): \(ToolError.mountAdvice)"
    }

    /// The maximum relative difference between a measured frequency and that of the drive.
    private static let frequencyTolerance = 0.15
}
