// PlayDisplay: the line that the terminal shows while a pattern plays, redrawn in place.

import BridgeLink
import HapticBridge
import SerialPorts

/// The level bar, the time and the faults, on the last line of standard error.
struct PlayDisplay {
    private let terminal = Terminal.standardError
    private let name: String
    private let link: Link
    private var position: PlayPosition
    private let virtual: VirtualTransport?
    private let isShown: Bool

    private var nextDrawAt: HostTime = 0

    private static let interval: Microseconds = 40_000
    private static let barWidth = 24
    /// The bar characters, from one eighth to a whole character.
    private static let blocks = Array("▏▎▍▌▋▊▉█")

    init(_ pattern: PatternFile, on board: HapticBoard, isQuiet: Bool) {
        name = pattern.name
        link = board.link
        position = PlayPosition(pattern)
        virtual = board.link.transport as? VirtualTransport
        isShown = !isQuiet && terminal.canRedraw
    }

    /// Draws the line if it is due.
    mutating func update(_ playback: Playback) {
        let now = Link.now()
        guard isShown, now >= nextDrawAt else { return }
        nextDrawAt = now + Self.interval
        let elapsed = position.elapsed(playback, link.session.clock, at: now)
        draw(level: level(at: elapsed), elapsed: elapsed, playback.progress)
    }

    /// Removes the line.
    func clear() {
        if isShown { terminal.write("\r\u{1B}[K") }
    }

    /// Returns the level that the virtual chip drives, or without one the level that the stream
    /// requests.
    private mutating func level(at elapsed: Microseconds) -> Int {
        if let virtual { return virtual.takePeak() }
        return position.level(at: elapsed)
    }

    private func draw(level: Int, elapsed: Microseconds, _ progress: PlaybackProgress) {
        let bar = terminal.coloured(Self.bar(level), level > 200 ? .yellow : .green)
        let times = "\(elapsed.secondsText) / \(position.duration.secondsText)"
        let faults = progress.isClean ? "" : "  " + terminal.coloured(trouble(progress), .red)
        let room = terminal.width - Self.barWidth - times.count - 8
        let title = faults.isEmpty && name.count < room ? "  \(name)" : ""
        terminal.write("\r\(bar)  \(times)\(faults)\(title)\u{1B}[K")
    }

    private func trouble(_ progress: PlaybackProgress) -> String {
        progress.faults.isEmpty
            ? "\(progress.lateEvents) late, \(progress.skippedTaps) skipped"
            : progress.faults.description
    }

    /// Returns a bar for a level of 0...255, always of the same width.
    static func bar(_ level: Int) -> String {
        let eighths = min(level, 255) * barWidth * 8 / 255
        let rest = eighths % 8 == 0 ? "" : String(blocks[eighths % 8 - 1])
        let filled = String(repeating: "█", count: eighths / 8) + rest
        return filled + String(repeating: " ", count: barWidth - filled.count)
    }
}
