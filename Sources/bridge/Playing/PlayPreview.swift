// PlayPreview: plays patterns without a board.

import BridgeLink
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

/// Plays patterns on the clock of this computer: as a preview that shows what would be felt, or on
/// voice coils.
struct PlayPreview {
    let output: OutputOptions
    /// The sounds of the patterns; nil if no sound is played.
    let sound: PlaySound?
    /// The voice coils on which the patterns play, and the user's settings; nil for a preview.
    var coils: (output: PlayCoils, settings: PlaySettings)?

    /// The maximum duration of one sleep, in microseconds: less than the time between two redraws
    /// of the display.
    private static let nap: Microseconds = 10_000

    /// Plays patterns in order, and prints the result of each.
    ///
    /// - Parameter start: the host time at which the first pattern begins; nil to begin now.
    func play(_ patterns: [PatternFile], at start: HostTime?) throws {
        defer { coils?.output.close() }
        for (index, pattern) in patterns.enumerated() {
            let earliest = max(
                Link.now(), sound?.earliestStart ?? 0, coils?.output.earliestStart ?? 0)
            let begin = start ?? earliest
            guard coils == nil || begin >= earliest else { throw ToolError.startIsTooEarly }
            let end = begin + pattern.renderedDuration
            try coils?.output.start(pattern, at: begin)
            try sound?.start(index, at: begin)
            defer { sound?.stop() }
            coils?.settings.begin()
            let stop = Interruption.deferred { show(pattern, from: begin, to: end) }
            if stop < end { coils?.output.stop() }
            let played = min(max(0, stop - begin), pattern.renderedDuration)
            coils?.output.finish()
            sound?.finish()
            coils?.output.remarkLimit(output)
            if let failure = coils?.output.failure { throw failure }
            let result = PreviewResult(
                pattern: pattern, sounds: sound?.count(of: pattern) ?? 0, played: played,
                wasStopped: stop < end, output: coils?.output.name,
                wasLimited: coils?.output.wasLimited,
                unfelt: coils.map { $0.settings.unfelt } ?? .preview,
                partlyUnfelt: coils?.settings.partlyUnfelt)
            try output.result(result.json, text: result.text)
            if let status = Interruption.status { throw ToolError(status, "stopped") }
        }
    }

    /// Displays a pattern in real time. Returns the host time at which the pattern ended or was
    /// stopped.
    private func show(_ pattern: PatternFile, from begin: HostTime, to end: HostTime) -> HostTime {
        var display = PlayDisplay(pattern, meter: nil, isQuiet: output.quiet)
        defer { display.clear() }
        while true {
            let now = Link.now()
            if now >= end || Interruption.isRequested || coils?.output.failure != nil {
                return min(now, end)
            }
            coils?.output.follow()
            coils?.settings.follow(on: []) {
                display.clear()
                output.remark($0)
            }
            display.update(elapsed: max(0, now - begin))
            hostClock.sleep(for: min(end - now, coils == nil ? Self.nap : PlayCoils.nap))
        }
    }
}

extension ToolError {
    /// The error for a start time that has passed or is too close.
    static var startIsTooEarly: ToolError {
        ToolError(
            .usage, "--at: the time has passed or is too close",
            advice:
                "choose a time at least one second ahead, or three seconds for a board that "
                + "resets when its port is opened")
    }
}

/// The result of playback without a board, as text and as JSON (schema bridge.play/1, without the
/// members that need a board).
struct PreviewResult {
    let pattern: PatternFile
    /// The number of sounds that were played with the pattern.
    let sounds: Int
    /// The played time, in microseconds.
    let played: Int64
    let wasStopped: Bool
    /// The voice coils on which the pattern was played; nil for a preview.
    let output: String?
    /// True if the limit of the duration has ended the output of the coils; nil for a preview.
    let wasLimited: Bool?
    /// The reason why nothing was felt; nil if at least a part was felt.
    let unfelt: Unfelt?
    /// The reason why a part was not felt; nil if all or nothing was felt.
    let partlyUnfelt: Unfelt?

    var text: String {
        let counts = EventCounts(pattern, sounds: sounds).text
        let whole = pattern.renderedDuration.secondsText
        let howFar =
            wasStopped
            ? "stopped after \(played.secondsText) of \(whole), \(counts)"
            : "\(output == nil ? "shown" : "played"), \(counts), \(pattern.duration.secondsText)"
        let reason =
            unfelt.map { ["  nothing was felt: \($0.text)"] }
            ?? partlyUnfelt.map { ["  a part was not felt: \($0.text)"] } ?? []
        let place = output.map { "\($0): " } ?? ""
        return (["\(place)\(pattern.name): \(howFar)"] + reason).joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "schema": "bridge.play/1",
            "file": .string(pattern.name),
            "board": nil,
            "output": .string(output),
            "output_limited": wasLimited.map { .bool($0) } ?? nil,
            "ending": wasStopped ? "stopped" : "played",
            "actuators": [],
            "unfelt": .string(unfelt?.word),
            "partly_unfelt": .string(partlyUnfelt?.word),
            "duration_us": .number(pattern.duration),
            "rendered_us": .number(pattern.renderedDuration),
            "played_us": .number(played),
            "events": EventCounts(pattern, sounds: sounds).json,
            "repairs": .number(pattern.repairs.count),
        ]
    }
}
