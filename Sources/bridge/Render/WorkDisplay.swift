// WorkDisplay: shows the progress of a long computation on one line of the terminal.

import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

/// A progress bar on the last line of standard error, which appears only if the computation takes a
/// long time.
final class WorkDisplay {
    private let terminal = Terminal.standardError
    private let title: String
    private let isShown: Bool
    private var nextDrawAt: HostTime
    private var isDrawn = false

    /// The time after which the bar appears, in microseconds.
    private static let delay: Int64 = 2_000_000
    private static let barWidth = 24

    /// Creates the display of a computation.
    ///
    /// - Parameter title: a description of the computation, for example "predicting pattern.ahap".
    init(_ title: String, isQuiet: Bool) {
        self.title = title
        nextDrawAt = Link.now() + Self.delay
        isShown = !isQuiet && terminal.canRedraw
    }

    /// Draws the bar after the delay has elapsed, and then at most once per interval.
    ///
    /// - Parameter progress: the progress, 0 to 1.
    func show(_ progress: Double) {
        guard isShown, Link.now() >= nextDrawAt else { return }
        nextDrawAt = Link.now() + OutputBars.interval
        isDrawn = true
        let bar = terminal.coloured(OutputBars.bar(progress, width: Self.barWidth), .green)
        terminal.draw("\(bar)  \(Int(progress * 100)) %  \(title)")
    }

    func clear() { if isDrawn { terminal.draw("") } }
}
