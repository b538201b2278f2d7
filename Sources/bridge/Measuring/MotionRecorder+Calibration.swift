// MotionRecorder+Calibration: finds full level and the sensitivity of the accelerometer, for
// `bridge measure`.

import BridgeLink
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import ToolSupport

extension MotionRecorder {
    /// The length of the hold that measures full level, and the part of the hold that is evaluated,
    /// in microseconds.
    private static let hold = (length: Microseconds(600_000), steady: 300_000.0..<580_000.0)
    /// The minimum acceleration of full level, in g.
    private static let fullMin = 0.05

    /// Plays a hold at full level, and returns its acceleration in g. Throws `ToolError`.
    func fullLevel(_ sensitivity: Sensitivity, _ use: ExclusiveUse) throws -> Double {
        let hold = HapticEvent(
            .hapticContinuous, time: 0, duration: Self.hold.length, intensity: 1)
        let pattern = HapticCompiler.compile(HapticPattern(events: [hold]))
        let recording = try use.perform {
            try record(
                events: pattern.bytes, tick: pattern.tick, length: pattern.renderedDuration,
                while: use.isWanted)
        }
        guard !recording.playing.progress.faults.contains(.budget) else {
            throw ToolError(limitedAt: "\(board.path): ")
        }
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
    func orient(_ use: ExclusiveUse) throws -> Sensitivity {
        let up = try reading("up", use)
        let down = try reading("down", use)
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

    private func reading(_ direction: String, _ use: ExclusiveUse) throws -> Double {
        let question =
            "Hold the board still so that the \(axis) axis of the accelerometer points \(direction). "
            + "Is it in place?"
        guard Terminal.decision(question) == true else {
            throw ToolError(
                Interruption.status ?? .interrupted,
                "stopped: the orientation was not confirmed with y")
        }
        let recorded = try use.perform {
            try board.record(axis, for: .milliseconds(500), while: use.isWanted)
        }
        let values = recorded.samples.map(\.acceleration)
        return values.reduce(0, +) / Double(max(1, values.count))
    }
}
