// FlashDisplay: shows the progress of flashing on one line of the terminal.

import HapticBridge
import ToolSupport

/// A progress bar on the last line of standard error.
struct FlashDisplay {
    private let terminal = Terminal.standardError
    private let isShown: Bool

    private static let barWidth = 24

    init(isQuiet: Bool) { isShown = !isQuiet && terminal.canRedraw }

    /// Draws the bar.
    ///
    /// - Parameters:
    ///   - title: the name of the content that is flashed, for example "firmware".
    ///   - progress: the progress, 0 to 1: up to 0.5 while the content is written, above 0.5 while
    ///     it is verified.
    func show(_ title: String, _ progress: Double) {
        guard isShown else { return }
        let bar = terminal.coloured(OutputBars.bar(progress, width: Self.barWidth), .green)
        let phase = progress <= 0.5 ? "writing" : "verifying"
        terminal.draw("\(bar)  \(Int(progress * 100)) %  \(phase) \(title)")
    }

    func clear() { if isShown { terminal.draw("") } }
}
