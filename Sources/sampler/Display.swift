// Display: the level and the sharpness of an engine, on a line of the terminal.

import Foundation
import HapticBridge
import Preview

/// Two bars that move with what would be felt.
enum Display {
    private static let width = 24

    /// Shows an engine's output on standard error until the program ends, if that is a terminal.
    static func show(_ engine: CHHapticEngine) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let interval = TimeInterval(OutputBars.interval) / 1_000_000
        Task { [outputs = engine.outputs(every: interval)] in
            for await output in outputs { draw(output) }
        }
    }

    private static func draw(_ output: HapticOutput) {
        let bars = OutputBars(
            level: Double(output.intensity), sharpness: Double(output.sharpness), width: width)
        let line = "\r\(bars.levelBar)  \(bars.sharpnessBar)\u{1B}[K"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
