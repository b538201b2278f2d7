// PlayResult: how a file was played, as text and as JSON (schema bridge.play/1).

import AHAP
import BridgeLink
import HapticBridge
import HapticCompiler

/// Everything that is said about one file that was played.
struct PlayResult {
    let pattern: PatternFile
    let board: String
    /// Whether no other board played it.
    let isAlone: Bool
    let actuators: ActuatorMask
    let playing: HapticBoard.Playing
    /// How much has played where it was stopped, in microseconds; nil if that is not known.
    let stoppedAt: Int64?
    /// Wire bytes to and from the board.
    let bytes: (sent: Int, received: Int)

    private var progress: PlaybackProgress { playing.progress }
    private var wasPlayed: Bool { playing.ending == .played }

    /// One line that says that all went well, and others for what did not.
    var text: String {
        let lines = [
            (isAlone ? "" : "\(board): ") + "\(pattern.name): \(howFar)",
            "  worst onset error \(worstOnset), \(progress.lateEvents) late, "
                + "\(progress.skippedTaps) skipped, " + progress.underruns.text("underrun"),
            "  \(bytes.sent) bytes sent, \(bytes.received) received, "
                + "\(pattern.bytes.count) of event code",
            "  \(pattern.repairs.count.text("repair")), "
                + "\(pattern.losses.text("event")) not rendered exactly",
        ]
        let timing = progress.timing.map { ["  \($0.text), on this computer's clock"] } ?? []
        let faults = progress.faults.isEmpty ? [] : ["  faults: \(progress.faults)"]
        return (lines + timing + faults).joined(separator: "\n")
    }

    /// How much of what was played.
    private var howFar: String {
        let (events, duration) = (EventCounts(pattern).text, pattern.duration.secondsText)
        guard !wasPlayed else { return "played, \(events), \(duration)" }
        guard let stoppedAt else { return "stopped, \(events), \(duration) as a whole" }
        return "stopped after \(stoppedAt.secondsText) of \(duration), \(events)"
    }

    /// Known exactly, or only that it was not worse.
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
            "duration_us": .number(pattern.duration),
            "rendered_us": .number(pattern.renderedDuration),
            "played_us": .number(wasPlayed ? pattern.renderedDuration : stoppedAt),
            "events": EventCounts(pattern).json,
            "worst_onset_error_us": .number(progress.latest),
            "worst_onset_error_at_most_us": .number(progress.latestAtMost),
            "late": .number(progress.lateEvents),
            "skipped": .number(progress.skippedTaps),
            "underruns": .number(progress.underruns),
            "faults": .number(progress.faults.rawValue),
            "clock_lateness_us": progress.timing?.json ?? JSONValue(.null),
            "bytes_sent": .number(bytes.sent),
            "bytes_received": .number(bytes.received),
            "event_code_bytes": .number(pattern.bytes.count),
            "repairs": .number(pattern.repairs.count),
            "not_exact": .number(pattern.losses),
        ]
    }
}

/// How far several boards were apart, as text and as JSON (schema bridge.skew/1).
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

/// How many events of which kind a stream has.
struct EventCounts {
    private(set) var taps = 0
    private(set) var levels = 0
    private(set) var ramps = 0

    init(_ pattern: PatternFile) {
        for event in pattern.events {
            switch event.content {
            case .tap: taps += 1
            case .level, .levelSharpness: levels += 1
            case .levelRamp, .sharpnessRamp, .tapGain: ramps += 1
            case .end: break
            }
        }
    }

    /// For example "3 taps, 2 levels".
    var text: String {
        let counts = [(taps, "tap"), (levels, "level"), (ramps, "ramp")]
        let words = counts.filter { $0.0 > 0 }.map { $0.0.text($0.1) }
        return words.isEmpty ? "no events" : words.joined(separator: ", ")
    }

    var json: JSONValue {
        [
            "taps": .number(taps), "levels": .number(levels), "ramps": .number(ramps),
        ]
    }
}
