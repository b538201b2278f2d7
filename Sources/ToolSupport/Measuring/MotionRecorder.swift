// MotionRecorder: records patterns on a board, and computes the motion of the actuator.

import BridgeLink
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import VirtualBoard

/// A recorded motion: its signal, and the amplitude of its vibration.
package struct RecordedMotion {
    package let signal: MotionSignal
    package let envelope: MotionEnvelope
}

/// Records the motion of one actuator along one axis.
package struct MotionRecorder {
    package let board: HapticBoard
    package let actuator: UInt8
    package let axis: SensorAxis
    package let configuration: ActuatorConfiguration

    package init(
        board: HapticBoard, actuator: UInt8, axis: SensorAxis, configuration: ActuatorConfiguration
    ) {
        (self.board, self.actuator, self.axis) = (board, actuator, axis)
        self.configuration = configuration
    }

    /// Throws `ToolError` if a pattern does not drive the actuator at any time.
    package func checkIsFelt(_ file: PatternFile) throws(ToolError) {
        guard drive(playing: file).allSatisfy({ $0.drive == 0 }) else { return }
        throw ToolError(
            .badData,
            "\(file.name.isEmpty ? "" : "\(file.name): ")the pattern contains nothing to feel",
            advice: "at least one event needs an intensity above 0, to be measured")
    }

    private func drive(playing file: PatternFile) -> [DriveChange] {
        configuration.drive(
            playing: file.events, tick: file.tick, band: configuration.frequencyBand)
    }

    /// Plays a pattern and records the motion. Throws the errors of `HapticBoard.record`.
    ///
    /// - Parameter isWanted: a closure that is called every few milliseconds. When the closure
    ///   returns false, all output is stopped, and `CancellationError` is thrown when the actuator
    ///   is at rest.
    package func record(
        _ file: PatternFile, while isWanted: () -> Bool
    ) throws -> PlayedRecording {
        try record(
            events: file.bytes, tick: file.tick, length: file.renderedDuration, while: isWanted)
    }

    /// Plays event code and records the motion, as ``record(_:while:)`` does.
    package func record(
        events: [UInt8], tick: Microseconds, length: Microseconds, while isWanted: () -> Bool
    ) throws -> PlayedRecording {
        try board.record(
            axis, playing: events, tickMicroseconds: Int(tick), length: length,
            on: ActuatorMask(index: Int(actuator)), tail: .microseconds(FeltFidelity.tail),
            while: isWanted)
    }

    /// Computes the motion from the recording of a pattern. Throws `ToolError` if the recording shows
    /// too little.
    ///
    /// - Parameter file: the pattern; nil if its sharpness is constant.
    package func motion(
        of recording: PlayedRecording, _ sensitivity: Sensitivity = Sensitivity(),
        playing file: PatternFile? = nil
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
            if let frequency = configuration.frequency {
                MotionEnvelope(of: signal, frequency: frequency, sensor: properties)
            } else if let file, configuration.band != nil {
                MotionEnvelope(
                    ofBand: signal, frequencies: frequencies(of: file), sensor: properties)
            } else {
                MotionEnvelope(ofMotor: signal)
            }
        return RecordedMotion(signal: signal, envelope: envelope)
    }

    /// Returns the changes of the frequency at which an actuator with a band is driven.
    private func frequencies(of file: PatternFile) -> [(time: Double, frequency: Double)] {
        drive(playing: file).filter { $0.frequency > 0 }.map { (Double($0.time), $0.frequency) }
    }
}

extension ActuatorConfiguration {
    /// The constant frequency at which the actuator is driven, in hertz; nil for a motor and for an
    /// actuator whose frequency follows the sharpness.
    package var frequency: Double? { kind == .lra ? Double(resonance) / 10 : nil }
}

extension MotionFinding {
    /// A description of the finding, with the remedy.
    package var text: String {
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
                + "accelerometer is defective; `bridge measure --orient` checks it by means of "
                + "gravity"
        case .lost(let samples, let gaps):
            gaps > 0
                ? "the board lost samples in \(gaps.text("place")): the start of the recording has "
                    + "no known times; use a faster line"
                : "\(samples.text("sample")) lost on the line to the board: the amplitude may be "
                    + "inexact"
        }
    }
}
