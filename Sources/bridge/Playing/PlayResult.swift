// PlayResult: the result of playing a file, as text and as JSON (schema bridge.play/1).

import BridgeLink
import HapticBridge
import HapticCompiler
import JSONText
import ToolSupport

/// The result of playing a file on one board.
struct PlayResult {
    let pattern: PatternFile
    let board: String
    /// True if no other board played the file.
    let isAlone: Bool
    let actuators: ActuatorMask
    let playing: HapticBoard.PlaybackSummary
    /// True if the limit of the duration has ended the output of the voice coils that play at the
    /// same time; nil if there are none.
    var isOutputLimited: Bool?
    /// The number of sounds that were played with the pattern.
    let sounds: Int
    /// The position at which the playback was stopped, in microseconds; nil if unknown.
    let stoppedAt: Int64?
    /// The reason why no part of the pattern was felt; nil if at least a part was felt.
    let unfelt: Unfelt?
    /// The reason why a part of the pattern was not felt; nil if the whole pattern or no part was
    /// felt.
    var partlyUnfelt: Unfelt?
    /// The state of the clock for a calendar start time; nil for other starts.
    var wallClock: WallClock?
    /// The number of bytes sent to the board, and the number of bytes received from the board.
    let bytes: (sent: Int, received: Int)

    private var progress: PlaybackProgress { playing.progress }
    private var wasPlayed: Bool { playing.completion == .played }

    /// The result as text: a summary, and lines that describe deviations.
    var text: String {
        let lines = [
            (isAlone ? "" : "\(board): ") + "\(pattern.name): \(howFar)",
            "  worst onset error \(worstOnset), \(progress.lateEvents) late, "
                + "\(progress.skippedTaps) skipped, " + progress.underruns.text("underrun"),
            "  \(bytes.sent) bytes sent, \(bytes.received) received; the pattern has "
                + "\(pattern.bytes.count.text("byte")) of event code",
            "  \(pattern.repairs.count.text("repair")), " + rendering,
        ]
        let timing = progress.timing.map { ["  \($0.text), on this computer's clock"] } ?? []
        let common = wallClock.flatMap { clock in
            startErrorBound.map { ["  \(clock.text(with: $0))"] }
        }
        let reason =
            unfelt.map { ["  nothing was felt: \($0.text)"] }
            ?? partlyUnfelt.map { ["  a part was not felt: \($0.text)"] } ?? []
        let faults = progress.faults.isEmpty ? [] : ["  faults: \(progress.faults)"]
        return (lines + reason + timing + (common ?? []) + faults).joined(separator: "\n")
    }

    /// The error bound of the start on the clock of this computer, in microseconds; nil if the
    /// bound is unknown.
    private var startErrorBound: Int64? {
        progress.timing?.errorBound
            ?? (progress.latestAtMost > 0 ? Int64(progress.latestAtMost) : nil)
    }

    /// A description of the fidelity of the rendering, if known.
    private var rendering: String {
        if let pattern = pattern.pattern, !pattern.events.contains(where: \.type.isHaptic) {
            return "the pattern contains nothing to be felt"
        }
        guard let felt = pattern.felt else {
            return pattern.isCompiled
                ? "the fidelity of a compiled file is not predicted"
                : "\(pattern.losses.text("event")) not rendered exactly"
        }
        return "\(felt.notAsDesigned) of \(felt.count.text("event")) not felt as designed, "
            + "\(felt.meanJND.text(decimals: 2)) JND on average (predicted for the \(felt.name))"
    }

    /// A description of the part of the pattern that was played.
    private var howFar: String {
        let (events, duration) = (
            EventCounts(pattern, sounds: sounds).text, pattern.duration.secondsText
        )
        guard !wasPlayed else { return "played, \(events), \(duration)" }
        guard let stoppedAt else { return "stopped, \(events), \(duration) in total" }
        return "stopped after \(stoppedAt.secondsText) of \(duration), \(events)"
    }

    /// The maximum onset error as text, either exact or as an upper bound.
    private var worstOnset: String {
        progress.latest.map { "\($0) µs" } ?? "at most \(progress.latestAtMost) µs"
    }

    var json: JSONValue {
        [
            "schema": "bridge.play/1",
            "file": .string(pattern.name),
            "board": .string(board),
            "ending": wasPlayed ? "played" : "stopped",
            "actuators": .array(actuators.indices.map { .number($0) }),
            "output_limited": isOutputLimited.map { .bool($0) } ?? nil,
            "unfelt": .string(unfelt?.word),
            "partly_unfelt": .string(partlyUnfelt?.word),
            "duration_us": .number(pattern.duration),
            "rendered_us": .number(pattern.renderedDuration),
            "played_us": .number(wasPlayed ? pattern.renderedDuration : stoppedAt),
            "events": EventCounts(pattern, sounds: sounds).json,
            "worst_onset_error_us": .number(progress.latest),
            "worst_onset_error_at_most_us": .number(progress.latestAtMost),
            "late": .number(progress.lateEvents),
            "skipped": .number(progress.skippedTaps),
            "underruns": .number(progress.underruns),
            "faults": .number(progress.faults.rawValue),
            "clock_lateness_us": progress.timing?.json ?? JSONValue(.null),
            "calendar": startErrorBound.flatMap { wallClock?.json(with: $0) } ?? JSONValue(.null),
            "bytes_sent": .number(bytes.sent),
            "bytes_received": .number(bytes.received),
            "event_code_bytes": .number(pattern.bytes.count),
            "repairs": .number(pattern.repairs.count),
            "not_exact": .number(pattern.losses),
            "felt": pattern.felt?.json ?? nil,
        ]
    }
}

/// The deviation between several boards, as text and as JSON (schema bridge.skew/1).
struct SkewResult {
    let boards: Int
    let skew: StreamTiming

    var text: String {
        "\(boards) boards: at most \(skew.lateness.upperBound) µs apart, ± \(skew.errorBound) µs"
    }

    var json: JSONValue {
        [
            "schema": "bridge.skew/1", "boards": .number(boards),
            "skew_us": .number(skew.lateness.upperBound),
            "error_bound_us": .number(skew.errorBound),
        ]
    }
}

extension StreamTiming {
    var text: String {
        "\(lateness.lowerBound) to \(lateness.upperBound) µs late, ± \(errorBound) µs"
    }

    var json: JSONValue {
        [
            "least": .number(lateness.lowerBound), "most": .number(lateness.upperBound),
            "error_bound": .number(errorBound),
        ]
    }
}
