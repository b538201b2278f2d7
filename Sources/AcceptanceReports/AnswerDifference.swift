// AnswerDifference: the first difference between recorded answers and the answers to a replay.

import BridgeLink
import DRV2605
import JSONText

/// The first difference between the answers of two boards to the same frames.
///
/// Each subject, such as the state of an actuator, has a sequence of values. Consecutive equal
/// values count as one value, because the number of answers depends on the timing. Measured values,
/// short-lived states, and events before the step are not compared.
public struct AnswerDifference: Equatable, Sendable, CustomStringConvertible {
    /// The recorded time of the difference, in microseconds since the start of the step.
    package var time: Microseconds
    /// The message and the field in which the answers differ.
    package var subject: String
    package var recorded: String
    package var replayed: String

    /// The difference in one line.
    public var description: String {
        "\(time.secondsText): \(subject): the report has \(recorded), this board \(replayed)"
    }

    private typealias Value = (time: Microseconds, text: String)

    /// Returns the first difference; nil if all compared answers are equal. An answer that the
    /// other board sent after the time of the last recorded answer is not a difference.
    ///
    /// - Parameter measures: true if the step calibrates or diagnoses an actuator. If it does not,
    ///   the results of measurements come from an earlier step and are not compared.
    static func first(
        recorded: [LoggedFrame], replayed: [LoggedFrame], measures: Bool
    ) -> AnswerDifference? {
        let known = firstFaults(of: recorded).union(firstFaults(of: replayed))
        let (ours, theirs) = (
            values(of: recorded, measures, known), values(of: replayed, measures, known)
        )
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

    /// Returns the faults in the first STATUS of a board.
    private static func firstFaults(of frames: [LoggedFrame]) -> Faults {
        for frame in frames {
            if case .status(let status)? = frame.message { return status.faults }
        }
        return []
    }

    /// Returns the values of each subject in frames.
    ///
    /// - Parameter known: the faults that are not compared, because the first STATUS of one of the
    ///   boards contains them.
    private static func values(
        of frames: [LoggedFrame], _ measures: Bool, _ known: Faults
    ) -> [String: [Value]] {
        var values: [String: [Value]] = [:]
        var baseline = StatusBaseline(known: known)
        for frame in frames {
            for (subject, text) in facts(of: frame.message, &baseline)
            where values[subject]?.last?.text != text {
                values[subject, default: []].append((frame.time, text))
            }
            // Only the last result is certain to have been measured in this step.
            guard case .actuator(let actuator)? = frame.message, measures else { continue }
            let name = "ACTUATOR \(actuator.actuator)"
            values["\(name), calibration"] = [(frame.time, "\(actuator.calibration)")]
            values["\(name), diagnosis"] = [(frame.time, "\(actuator.diagnosis)")]
        }
        return values
    }

    /// The first STATUS of a step. The counters of later messages are compared relative to the
    /// counters of this message.
    private struct StatusBaseline {
        let known: Faults
        var first: Status?

        mutating func begin(with status: Status) { first = first ?? status }

        func faults(of status: Status) -> String {
            let new = status.faults.subtracting(known)
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
        case .probed(let answer):
            let result = answer.isAcknowledged ? "acknowledged" : "not acknowledged"
            return [("PROBED 0x\([answer.address].hexadecimal)", result)]
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
