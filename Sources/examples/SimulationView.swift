// SimulationView: draws the simulation and the haptic output on one line of the terminal.

import Foundation
import HapticBridge

enum SimulationView {
    /// The interval between two pictures, in seconds.
    static let step = 0.01

    private static let isTerminal =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Replaces the previous picture with a new picture. The line begins with two bars, which show
    /// the level and the sharpness of an engine. Draws nothing if standard output is not a
    /// terminal.
    ///
    /// - Parameter picture: a closure that returns the picture for a given number of characters.
    static func draw(_ engine: HapticEngine, _ picture: (_ columns: Int) -> String) {
        guard isTerminal else { return }
        let output = engine.output(atTime: 0)
        // The line is shorter than the width of the terminal, because a line with the full width
        // would wrap to the next line.
        let bars = OutputBars(
            level: Double(output.intensity), sharpness: Double(output.sharpness),
            columns: (width(of: STDOUT_FILENO) - 2) / 2)
        let room = max(0, width(of: STDOUT_FILENO) - 2 - bars.line.count)
        write("\r\(bars.line) \(picture(room).prefix(room))\u{1b}[K")
    }

    /// Prints text, unless pictures are drawn.
    static func print(_ text: String) {
        guard !isTerminal else { return }
        write(text + "\n")
    }

    /// Removes the picture.
    static func clear() { if isTerminal { write("\r\u{1b}[K") } }

    /// Returns the number of columns of a terminal.
    static func width(of file: Int32) -> Int {
        var size = winsize()
        guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
