// Display: shows the level and the sharpness of an engine on one line of the terminal.

import Foundation
import HapticBridge

/// Two bars on standard error that show the haptic output.
struct Display {
    private let drawing: Task<Void, Never>
    private let isRemoved = DispatchSemaphore(value: 0)

    /// True if standard error is a terminal, whose last line can be redrawn.
    static let isPossible =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Shows the output of an engine until `end` is called.
    init(of engine: HapticEngine) {
        let outputs = engine.outputs(every: .microseconds(OutputBars.interval))
        drawing = Task { [isRemoved] in
            for await output in outputs { Self.draw(output) }
            Self.write("")
            isRemoved.signal()
        }
    }

    /// Removes the line.
    func end() {
        drawing.cancel()
        isRemoved.wait()
    }

    private static func draw(_ output: HapticOutput) {
        // The line is shorter than the width of the terminal, because a line of the full width
        // would wrap.
        let bars = OutputBars(
            level: Double(output.intensity), sharpness: Double(output.sharpness),
            columns: SimulationView.width(of: STDERR_FILENO) - 1)
        write(bars.line)
    }

    private static func write(_ line: String) {
        FileHandle.standardError.write(Data("\r\(line)\u{1B}[K".utf8))
    }
}
