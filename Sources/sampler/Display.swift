// Display: the level and the sharpness of an engine, on a line of the terminal.

import Foundation
import HapticBridge
import Preview

/// Two bars that show the haptic output.
enum Display {
    /// True if standard error is a terminal whose last line can be redrawn.
    static let isPossible =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Shows an engine's output on standard error until it stops.
    ///
    /// - Returns: a semaphore that is signaled when the line has been removed.
    static func show(_ engine: CHHapticEngine) -> DispatchSemaphore {
        let isRemoved = DispatchSemaphore(value: 0)
        Task { [outputs = engine.outputs(every: .microseconds(OutputBars.interval))] in
            for await output in outputs { draw(output) }
            write("")
            isRemoved.signal()
        }
        return isRemoved
    }

    private static func draw(_ output: HapticOutput) {
        // A line with the full width of the terminal would wrap to the next line.
        let bars = OutputBars(
            level: Double(output.intensity), sharpness: Double(output.sharpness),
            columns: width - 1)
        write(bars.line)
    }

    private static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static func write(_ line: String) {
        FileHandle.standardError.write(Data("\r\(line)\u{1B}[K".utf8))
    }
}
