// PlayPreview: plays patterns without a board.

import BridgeLink
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

/// Plays patterns on the clock of this computer, and shows what would be felt.
struct PlayPreview {
    let output: OutputOptions
    /// The sound of the patterns; nil if there is none.
    let sound: PlaySound?

    /// The maximum duration of one sleep, in microseconds, shorter than a frame of the display.
    private static let nap: Microseconds = 10_000

    /// Plays patterns in order, and prints the result of each.
    ///
    /// - Parameter start: the host time at which the first pattern begins; nil to begin now.
    func play(_ patterns: [PatternFile], at start: HostTime?) throws {
        for (index, pattern) in patterns.enumerated() {
            let begin = start ?? max(Link.now(), sound?.earliestStart ?? 0)
            let end = begin + pattern.renderedDuration
            try sound?.start(index, at: begin)
            defer { sound?.stop() }
            let stop = Interruption.deferred { show(pattern, from: begin, to: end) }
            let played = min(max(0, stop - begin), pattern.renderedDuration)
            sound?.finish()
            let result = PreviewResult(
                pattern: pattern, sounds: sound?.count(of: pattern) ?? 0, played: played,
                wasStopped: stop < end)
            try output.result(result.json, text: result.text)
            if let status = Interruption.status { throw ToolError(status, "stopped") }
        }
    }

    /// Displays a pattern in real time. Returns the host time at which it ended or was stopped.
    private func show(_ pattern: PatternFile, from begin: HostTime, to end: HostTime) -> HostTime {
        var display = PlayDisplay(pattern, meter: nil, isQuiet: output.quiet)
        defer { display.clear() }
        while true {
            let now = Link.now()
            if now >= end || Interruption.isRequested { return min(now, end) }
            display.update(elapsed: max(0, now - begin))
            hostClock.sleep(for: min(end - now, Self.nap))
        }
    }
}

/// The result of a preview, as text and as JSON (schema bridge.play/1, without the members that
/// need a board).
struct PreviewResult {
    let pattern: PatternFile
    /// The number of sounds that were played with the pattern.
    let sounds: Int
    /// The played time, in microseconds.
    let played: Int64
    let wasStopped: Bool

    var text: String {
        let counts = EventCounts(pattern, sounds: sounds).text
        let whole = pattern.renderedDuration.secondsText
        let howFar =
            wasStopped
            ? "stopped after \(played.secondsText) of \(whole), \(counts)"
            : "shown, \(counts), \(pattern.duration.secondsText)"
        return """
            \(pattern.name): \(howFar)
              nothing was felt: \(Unfelt.preview.text)
            """
    }

    var json: JSONValue {
        [
            "schema": "bridge.play/1",
            "file": .string(pattern.name),
            "board": nil,
            "ending": wasStopped ? "stopped" : "played",
            "actuators": [],
            "unfelt": .string(Unfelt.preview.word),
            "duration_us": .number(pattern.duration),
            "rendered_us": .number(pattern.renderedDuration),
            "played_us": .number(played),
            "events": EventCounts(pattern, sounds: sounds).json,
            "repairs": .number(pattern.repairs.count),
        ]
    }
}
