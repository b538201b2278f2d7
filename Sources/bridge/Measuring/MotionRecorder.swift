// MotionRecorder: records patterns on a board and finds the sensitivity of its accelerometer, for
// the commands that measure.

import BridgeLink
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import ToolSupport

/// A recorded motion: its signal, and the amplitude of its vibration.
struct RecordedMotion {
    let signal: MotionSignal
    let envelope: MotionEnvelope
}

/// Records the motion of one actuator along one axis.
struct MotionRecorder {
    let board: HapticBoard
    let actuator: UInt8
    let axis: SensorAxis
    let configuration: ActuatorConfiguration

    /// The length of the hold that measures full level, and the part of the hold that is evaluated,
    /// in microseconds.
    private static let hold = (length: Microseconds(600_000), steady: 300_000.0..<580_000.0)
    /// The minimum acceleration of full level, in g.
    private static let fullMin = 0.05

    /// Plays a stream and records the motion. Throws `ToolError`.
    func record(_ file: PatternFile) throws -> PlayedRecording {
        try record(events: file.bytes, tick: file.tick, length: file.renderedDuration)
    }

    private func record(
        events: [UInt8], tick: Microseconds, length: Microseconds
    ) throws -> PlayedRecording {
        try Interruption.measuring {
            try board.record(
                axis, playing: events, tickMicroseconds: Int(tick), length: length,
                on: ActuatorMask(index: Int(actuator)),
                tail: .microseconds(FeltFidelity.tail), while: { !Interruption.isRequested })
        }
    }

    /// Computes the motion from a recording. Throws `ToolError` if the recording shows too little.
    func motion(
        of recording: PlayedRecording, _ sensitivity: Sensitivity
    ) throws -> RecordedMotion {
        let properties = recording.acceleration.properties
        guard
            let signal = MotionSignal(
                recording.samples, range: properties.range, sensitivity: sensitivity)
        else {
            throw ToolError(
                .inputOutput, "\(board.path): too few samples of the accelerometer have arrived",
                advice: "use a faster line to the board, or a shorter USB cable, and try again")
        }
        let envelope =
            configuration.frequency.map {
                MotionEnvelope(of: signal, frequency: $0, sensor: properties)
            } ?? MotionEnvelope(ofMotor: signal)
        return RecordedMotion(signal: signal, envelope: envelope)
    }

    /// Plays a hold at full level, and returns its acceleration in g. Throws `ToolError`.
    func fullLevel(_ sensitivity: Sensitivity) throws -> Double {
        let hold = HapticEvent(
            .hapticContinuous, time: 0, duration: Self.hold.length, intensity: 1)
        let pattern = HapticCompiler.compile(HapticPattern(events: [hold]))
        let recording = try record(
            events: pattern.bytes, tick: pattern.tick, length: pattern.renderedDuration)
        let motion = try motion(of: recording, sensitivity)
        let full = motion.envelope.mean(in: Self.hold.steady)
        guard full >= Self.fullMin else {
            throw ToolError(
                .actuatorFault,
                "\(board.path): the accelerometer senses \(full.text(decimals: 3)) g along \(axis) "
                    + "while the actuator is driven at full level",
                advice: ToolError.mountAdvice, ToolError.axisAdvice)
        }
        return full
    }

    // MARK: Gravity

    /// Asks the user to hold the board in two orientations, and returns the sensitivity of the
    /// accelerometer. Throws `ToolError`.
    func orient() throws -> Sensitivity {
        let up = try reading("up")
        let down = try reading("down")
        guard let sensitivity = Sensitivity(up: up, down: down) else {
            throw ToolError(
                .usage,
                "\(board.path): the accelerometer reads \(up.text(decimals: 2)) g and "
                    + "\(down.text(decimals: 2)) g along \(axis), but about 1 g and -1 g are "
                    + "expected",
                advice: "hold the board so that the arrow \(axis) on the breakout board points "
                    + "straight up, and then straight down")
        }
        return sensitivity
    }

    private func reading(_ direction: String) throws -> Double {
        let question =
            "Hold the board still so that the \(axis) axis of the accelerometer points \(direction). "
            + "Is it in place?"
        guard Terminal.decision(question) == true else {
            throw ToolError(
                Interruption.status ?? .interrupted,
                "stopped: the orientation was not confirmed with y")
        }
        let recorded = try Interruption.measuring {
            try board.record(
                axis, for: .milliseconds(500), while: { !Interruption.isRequested })
        }
        let values = recorded.samples.map(\.acceleration)
        return values.reduce(0, +) / Double(max(1, values.count))
    }
}

extension Interruption {
    /// Performs `body`, which measures, and throws `CancellationError` when the user has interrupted
    /// the command and the actuator is at rest. Throws `ToolError` in that case.
    static func measuring<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try deferred { try body() }
        } catch is CancellationError {
            throw ToolError(status ?? .interrupted, "stopped; the actuator is at rest")
        }
    }
}

extension ActuatorConfiguration {
    /// The constant frequency at which the actuator is driven, in hertz; nil for a motor and for an
    /// actuator whose frequency follows the sharpness.
    var frequency: Double? { kind == .lra ? Double(resonance) / 10 : nil }
}

extension MotionFinding {
    /// A description of the finding, with the remedy.
    var text: String {
        switch self {
        case .clipped(let samples, let range):
            "\(samples.text("sample")) clipped at \(range.text(decimals: 0)) g: the peaks are "
                + "greater than measured; mount the actuator on a heavier part"
        case .still(let predicted):
            "the accelerometer senses no vibration, but \(predicted.text(decimals: 2)) g are "
                + "predicted: \(ToolError.mountAdvice), or \(ToolError.axisAdvice)"
        case .otherFrequency(let measured, let driven):
            "the vibration has a frequency of \(measured.text(decimals: 0)) Hz, but the actuator "
                + "is driven at \(driven.text(decimals: 0)) Hz: the mounting resonates, or the "
                + "configured resonance belongs to another actuator"
        case .distorted(let fraction):
            "\((fraction * 100).text(decimals: 0)) % of the vibration is not at the frequency of the "
                + "drive: a part is loose and rattles, or the mounting resonates"
        case .ringsOn(let milliseconds):
            "the vibration continues for \(milliseconds.text(decimals: 0)) ms after the predicted "
                + "end: the accelerometer is loose, or the table resonates; put the board on foam"
        case .restless(let noise):
            "the board was not at rest before the start (\(noise.text(decimals: 2)) g): put it down"
        case .gravity(let rest):
            "the acceleration at rest is \(rest.text(decimals: 2)) g: the board is moved, or the "
                + "accelerometer is defective; --orient checks it by means of gravity"
        case .lost(let samples, let gaps):
            gaps > 0
                ? "the board lost samples in \(gaps.text("place")): the start of the recording has "
                    + "no known times; use a faster line"
                : "\(samples.text("sample")) lost on the line to the board: the amplitude may be "
                    + "inexact"
        }
    }
}
