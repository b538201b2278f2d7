// FollowedPlay: plays one pattern on one or several boards, with a display in the terminal.

import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

/// The playback of a pattern on one or several boards.
struct FollowedPlay {
    /// The pattern compiled for each board.
    let patterns: [PatternFile]
    let boards: [HapticBoard]
    /// The actuators that play on each board.
    let masks: [ActuatorMask]
    let output: OutputOptions
    let settings: PlaySettings
    /// The state of the clock for a calendar start time; nil for other starts.
    let wallClock: WallClock?
    /// The sounds of the pattern; nil if no sound is played.
    let sound: PlaySound?

    /// Plays the pattern, displays its progress, and prints the result for each board.
    ///
    /// - Parameter body: a closure that plays on all boards, and repeatedly calls its argument with
    ///   the playback on the first board.
    func follow(
        _ body: ((Playback) -> Bool) throws -> [HapticBoard.PlaybackSummary]
    ) throws -> [HapticBoard.PlaybackSummary] {
        let before = boards.map(\.link.session.statistics)
        var position = PlayPosition(patterns[0])
        var display = PlayDisplay(
            patterns[0], meter: (boards[0].link.transport as? VirtualTransport)?.meter,
            isQuiet: output.quiet)
        settings.begin()
        let use = ExclusiveUse(of: boards)
        let playings = try use.perform {
            defer { display.clear() }
            return try body { playback in
                settings.follow(on: boards) {
                    display.clear()
                    output.remark($0)
                }
                display.update(playback, boards[0].link.session.clock)
                position.record(playback, boards[0].link.session.clock, at: Link.now())
                return use.isWanted()
            }
        }
        sound?.finish()
        try showResults(of: playings, stoppedAt: position.last, since: before)
        if let status = Interruption.status {
            throw ToolError(status, "stopped; the actuator is at rest")
        }
        return playings
    }

    private func showResults(
        of playings: [HapticBoard.PlaybackSummary], stoppedAt position: Int64?,
        since before: [LinkStatistics]
    ) throws {
        for (index, board) in boards.enumerated() {
            let statistics = board.link.session.statistics
            let result = PlayResult(
                pattern: patterns[index], board: board.path, isAlone: boards.count == 1,
                actuators: masks[index], playing: playings[index],
                sounds: sound?.count(of: patterns[index]) ?? 0, stoppedAt: position,
                unfelt: settings.unfelt, partlyUnfelt: settings.partlyUnfelt, wallClock: wallClock,
                bytes: (
                    statistics.bytesSent - before[index].bytesSent,
                    statistics.bytesReceived - before[index].bytesReceived
                ))
            try output.result(result.json, text: result.text)
        }
    }
}
