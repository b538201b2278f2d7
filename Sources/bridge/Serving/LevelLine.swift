// LevelLine: shows the level of a served virtual board in the terminal.

import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

/// A level bar on the last line of standard error.
final class LevelLine {
    /// The meter of the virtual board's drive.
    let meter = DriveMeter()
    private let terminal = Terminal.standardError
    private let isShown: Bool
    private var nextDrawAt: HostTime = 0

    init(isShown: Bool) { self.isShown = isShown && terminal.canRedraw }

    /// Redraws the line if the interval has elapsed.
    func update() {
        let now = Link.now()
        guard isShown, now >= nextDrawAt else { return }
        nextDrawAt = now + OutputBars.interval
        let level = Double(min(meter.resetPeak(), 255)) / 255
        let bars = OutputBars(level: level, sharpness: 0, columns: terminal.width - 1)
        terminal.draw(terminal.coloured(bars.levelBar, level > 0.8 ? .yellow : .green))
    }

    /// Removes the line.
    func clear() {
        if isShown { terminal.draw("") }
    }
}
