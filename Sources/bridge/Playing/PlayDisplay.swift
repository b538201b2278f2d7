// PlayDisplay: shows the progress of a pattern on one line of the terminal.

import BridgeLink
import HapticBridge
import HapticCompiler
import SerialPorts
import ToolSupport

/// Displays the level, the sharpness, the time and the faults on the last line of standard error.
struct PlayDisplay {
    private let terminal = Terminal.standardError
    private let name: String
    private var position: PlayPosition
    /// The position in the designed pattern, which contains the sharpness that the profile of an
    /// actuator may omit.
    private var design: PlayPosition
    /// The time in the stream at which the design begins, in microseconds.
    private let lead: Microseconds
    /// The meter of the virtual board's drive; nil for other boards.
    private let meter: DriveMeter?
    private let isShown: Bool

    private var nextDrawAt: HostTime = 0

    /// Creates the display of a pattern.
    ///
    /// - Parameter meter: the meter of the virtual board's drive; nil for other boards.
    init(_ pattern: PatternFile, meter: DriveMeter?, isQuiet: Bool) {
        name = pattern.name
        position = PlayPosition(pattern)
        isShown = !isQuiet && terminal.canRedraw
        design = isShown ? PlayPosition(pattern.asDesigned) : position
        lead = pattern.lead
        self.meter = meter
    }

    /// Redraws the line during playback on a board if the interval has elapsed.
    mutating func update(_ playback: Playback, _ clock: ClockSync) {
        let now = Link.now()
        guard isDue(at: now) else { return }
        let elapsed = position.elapsed(playback, clock, at: now)
        draw(level: level(at: elapsed), elapsed, trouble(playback.progress))
    }

    /// Redraws the line during playback without a link to a board if the interval has elapsed.
    mutating func update(elapsed: Microseconds) {
        guard isDue(at: Link.now()) else { return }
        draw(level: position.output(at: elapsed).level, elapsed, nil)
    }

    /// Removes the line.
    func clear() {
        if isShown { terminal.draw("") }
    }

    private mutating func isDue(at now: HostTime) -> Bool {
        guard isShown, now >= nextDrawAt else { return false }
        nextDrawAt = now + OutputBars.interval
        return true
    }

    /// Returns the level that the virtual chip drives or, for other boards, the level in the
    /// stream.
    private mutating func level(at elapsed: Microseconds) -> Int {
        if let meter { return meter.resetPeak() }
        return position.output(at: elapsed).level
    }

    private mutating func draw(level: Int, _ elapsed: Microseconds, _ trouble: String?) {
        // The line is shorter than the width of the terminal, because a line of the full width
        // would wrap and could not be redrawn.
        var room = terminal.width - 1
        func fitted(_ text: String?, besides bars: Int) -> String? {
            guard let text, text.count + 2 <= room - bars else { return nil }
            room -= text.count + 2
            return text
        }
        let faults = fitted(trouble, besides: OutputBars.leastWidth)
        let times = fitted(
            "\(elapsed.secondsText) / \(position.duration.secondsText)",
            besides: OutputBars.leastWidth)
        let title = trouble == nil ? fitted(name, besides: OutputBars.fullWidth) : nil
        let texts = [times, faults.map { terminal.coloured($0, .red) }, title].compactMap(\.self)
        let line = [bars(level, elapsed, columns: room)] + texts
        terminal.draw(line.joined(separator: "  "))
    }

    private mutating func bars(_ level: Int, _ elapsed: Microseconds, columns: Int) -> String {
        let level = Double(min(level, 255)) / 255
        let sharpness = Double(design.output(at: max(0, elapsed - lead)).sharpness) / 255
        let bars = OutputBars(level: level, sharpness: sharpness, columns: columns)
        let felt = terminal.coloured(bars.levelBar, level > 0.8 ? .yellow : .green)
        return bars.sharpnessWidth > 0
            ? felt + "  " + terminal.coloured(bars.sharpnessBar, .blue) : felt
    }

    private func trouble(_ progress: PlaybackProgress) -> String? {
        guard !progress.isClean else { return nil }
        return progress.faults.isEmpty
            ? "\(progress.lateEvents) late, \(progress.skippedTaps) skipped"
            : progress.faults.description
    }
}
