// AnswerDifference: the first difference between the recorded and the replayed answers of a board.

import BridgeLink
import DRV2605
import JSONText

/// The first difference between the answers of two boards to the same frames.
///
/// Each subject, such as the state of an actuator, has a sequence of values. Consecutive equal
/// values are compared as one, because the number of answers depends on the timing. Measured
/// values, states that last for a moment, and what happened before the step are not compared.
public struct AnswerDifference: Equatable, Sendable, CustomStringConvertible {
    /// The recorded time of the difference, in microseconds since the start of the step.
    package var time: Microseconds
    /// The message and the field that differ.
    package var subject: String
    package var recorded: String
    package var replayed: String

    /// The difference in one line.
    public var description: String {
        "\(time.secondsText): \(subject): the report has \(recorded), this board \(replayed)"
    }

    private typealias Value = (time: Microseconds, text: String)

    /// Returns the first difference; nil if there is none. An answer that the other board sent
    /// after the last recorded one is not a difference.
    ///
    /// - Parameter measures: whether the step calibrates or diagnoses an actuator. Otherwise, the
    ///   results belong to an earlier step.
    static func first(
        recorded: [LoggedFrame], replayed: [LoggedFrame], measures: Bool
    ) -> AnswerDifference? {
        let (ours, theirs) = (values(of: recorded, measures), values(of: replayed, measures))
        let end = recorded.last?.time ?? 0
        let differences = Set(ours.keys).union(theirs.keys).compactMap {
            first(of: $0, ours[$0] ?? [], theirs[$0] ?? [], end)
        }
        return differences.min { ($0.time, $0.subject) < ($1.time, $1.subject) }
    }

    private static func first(
        of subject: String, _ ours: [Value], _ theirs: [Value], _ end: Microseconds
    ) -> AnswerDifference? {
        let index = zip(ours, theirs).prefix { $0.text == $1.text }.reduce(0) { count, _ in
            count + 1
        }
        guard index < max(ours.count, theirs.count) else { return nil }
        let time = index < ours.count ? ours[index].time : theirs[index].time
        guard index < ours.count || time <= end else { return nil }
        func text(_ values: [Value]) -> String {
            index < values.count ? values[index].text : "no answer"
        }
        return AnswerDifference(
            time: time, subject: subject, recorded: text(ours), replayed: text(theirs))
    }

    /// Returns the values of each subject in frames.
    private static func values(of frames: [LoggedFrame], _ measures: Bool) -> [String: [Value]] {
        var values: [String: [Value]] = [:]
        var baseline = StatusBaseline()
        for frame in frames {
            for (subject, text) in facts(of: frame.message, &baseline)
            where values[subject]?.last?.text != text {
                values[subject, default: []].append((frame.time, text))
            }
            // Only the last result was measured in this step with certainty.
            guard case .actuator(let actuator)? = frame.message, measures else { continue }
            let name = "ACTUATOR \(actuator.actuator)"
            values["\(name), calibration"] = [(frame.time, "\(actuator.calibration)")]
            values["\(name), diagnosis"] = [(frame.time, "\(actuator.diagnosis)")]
        }
        return values
    }

    /// The first STATUS of a step, from which counters are counted and faults are new.
    private struct StatusBaseline {
        var first: Status?

        mutating func begin(with status: Status) { first = first ?? status }

        func faults(of status: Status) -> String {
            let new = status.faults.subtracting(first?.faults ?? [])
            return new.isEmpty ? "none" : "\(new)"
        }

        func counters(of status: Status) -> String {
            guard let first else { return "" }
            return "\(status.underruns &- first.underruns) underruns, "
                + "\(status.skippedTaps &- first.skippedTaps) skipped taps, "
                + "\(status.deadManTrips &- first.deadManTrips) dead-man trips, "
                + "\(status.busErrors &- first.busErrors) bus errors, "
                + "\(status.chipResets &- first.chipResets) chip resets"
        }
    }

    /// Returns the compared fields of a message.
    private static func facts(
        of message: Message?, _ baseline: inout StatusBaseline
    ) -> [(subject: String, text: String)] {
        switch message {
        case .reject(let reject): return [("REJECT", "\(reject)")]
        case .status(let status):
            baseline.begin(with: status)
            return [
                ("STATUS, new faults", baseline.faults(of: status)),
                ("STATUS, counters", baseline.counters(of: status)),
            ]
        case .stream(let stream): return [("STREAM \(stream.stream), state", "\(stream.state)")]
        case .actuator(let actuator): return facts(of: actuator)
        case .configuration(let answer):
            let (kind, name) = (answer.configuration.kind, answer.configuration.name)
            return [("CONFIGURATION \(answer.actuator)", "\(kind), \(name.asNameOfStranger)")]
        default: return []
        }
    }

    private static func facts(of actuator: ActuatorStatus) -> [(subject: String, text: String)] {
        let name = "ACTUATOR \(actuator.actuator)"
        let isMomentary = [.starting, .comingToRest, .awake, .calibrating].contains(actuator.state)
        return (isMomentary ? [] : [("\(name), state", "\(actuator.state)")]) + [
            ("\(name), chip", HapticChip.name(ofDeviceID: actuator.chipID)),
            ("\(name), kind", "\(actuator.kind)"),
            ("\(name), resonance", "\((Double(actuator.resonance) / 10).text(decimals: 1)) Hz"),
        ]
    }
}
