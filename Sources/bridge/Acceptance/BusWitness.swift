// BusWitness: compares the levels on the wires with the stream that was sent.

import AcceptanceReports
import BridgeLink
import HapticBridge
import Prediction
import ToolSupport

/// The comparison of a capture with the stream of a step.
struct BusWitness {
    /// The first word in the name of each check that a comparison replaces.
    static let subject = "wires"

    /// The results of the comparison.
    private(set) var checks: [AcceptanceCheck] = []
    /// The fraction of the required levels that the capture contains, 0 to 1.
    private(set) var share = 0.0
    /// The writes during the stream or, if the stream was not found, the first writes of the
    /// capture.
    private(set) var writes: [CapturedLevel] = []

    /// The maximum number of writes in the report if the stream was not found.
    private static let strangeMax = 1_000

    /// Compares a capture with the frames of a step. Throws `ToolError` if the report has no
    /// stream or no configuration.
    init(
        _ capture: BusCapture, _ step: AcceptanceReport.Step, of board: AcceptanceReport.Board,
        in file: String
    ) throws(ToolError) {
        guard let stream = SentStream(step.frames) else {
            throw ToolError(
                .badData, "\(file): the step \(step.step) has no complete stream of levels",
                advice: "carry out the step again: bridge accept \(file) --only \(step.step)")
        }
        let all = board.configurations
        let actuators = stream.actuators.indices.map(Int.init)
        let configurations = actuators.map { all.indices.contains($0) ? all[$0] : nil }
        guard let first = configurations.first ?? nil, !configurations.contains(nil) else {
            throw ToolError(
                .badData, "\(file): the configuration of an actuator is missing or invalid",
                advice: "use an unchanged report of `bridge accept`")
        }
        guard !stream.wasLimited else {
            checks = [
                .skipped(
                    Self.subject, "the energy budget of the actuator has limited its levels")
            ]
            return
        }
        let drive = stream.drive(first)
        var shares: [Double] = []
        for (actuator, configuration) in zip(actuators, configurations) {
            let gain = stream.gains[actuator] ?? .max
            let values = (0...255).map { configuration!.writtenValue(for: $0, gain: gain) }
            let name =
                Self.subject
                + (actuators.count > 1 ? ", \(AcceptanceRun.name(UInt8(actuator)))" : "")
            let writes = capture.writes.filter {
                $0.channels.map { $0 >> actuator & 1 == 1 } ?? true
            }
            let comparison = ActuatorComparison(writes, drive, values)
            checks += comparison.checks(name, capture)
            shares.append(comparison.share)
            if let span = comparison.span, self.writes.isEmpty {
                self.writes = capture.writes.filter { span.contains($0.time) }
            }
        }
        share = shares.min() ?? 0
        if self.writes.isEmpty { self.writes = Array(capture.writes.prefix(Self.strangeMax)) }
    }
}

extension AcceptanceReport.Step {
    /// Compares a capture with the frames of the step, and replaces the results of an earlier
    /// comparison. Throws `ToolError` if the report has no stream or no configuration.
    mutating func compare(
        with capture: BusCapture, of board: AcceptanceReport.Board, in file: String
    ) throws(ToolError) {
        record(try BusWitness(capture, self, of: board, in: file))
    }

    /// Replaces the results of an earlier comparison.
    mutating func record(_ witness: BusWitness) {
        checks.removeAll { $0.name.hasPrefix(BusWitness.subject) }
        checks += witness.checks
        levels = witness.writes
    }
}

/// The comparison of the levels of one actuator.
private struct ActuatorComparison {
    private let fit: CaptureFit?
    private let comparison: DriveComparison
    private let end: Microseconds

    /// The time after the last required level during which any other level is unexpected, in
    /// microseconds.
    private static let tail: Microseconds = .milliseconds(20)

    init(_ writes: [CapturedLevel], _ drive: ExpectedDrive, _ values: [Int]) {
        var rules = DriveComparison.Rules()
        rules.early = Microseconds(CaptureFit.deviationMax)
        rules.late = rules.early
        rules.value = { values[min(max($0, 0), 255)] }
        let wanted = drive.changes(rules.value)
        fit = CaptureFit(wanted, in: writes.map { .init(time: $0.time, value: Int($0.value)) })
        let last = wanted.last.map { Microseconds($0.time) } ?? 0
        end = last
        let times = writes.compactMap { [fit] write -> DriveComparison.Write? in
            guard let time = fit?.streamTime(of: write.time), time <= last + Self.tail,
                time >= 0 || (time >= -rules.early && write.value != 0)
            else { return nil }
            return .init(start: time, value: Int(write.value))
        }
        comparison = DriveComparison(times, drive, rules)
    }

    /// The times of the stream in the capture, extended by one second before and after the stream.
    var span: ClosedRange<Double>? {
        fit.map { $0.time(of: -1e6)...$0.time(of: Double(end) + 1e6) }
    }

    var share: Double {
        fit == nil ? 0 : Double(comparison.found) / Double(max(1, comparison.required))
    }

    func checks(_ name: String, _ capture: BusCapture) -> [AcceptanceCheck] {
        let advice =
            "if the same check fails again, the wires are disturbed, or the board is defective: "
            + "shorten the wires, and send the report"
        guard let fit else {
            return [
                .failed(
                    "\(name), levels", .inputOutput,
                    "\(capture.writes.count.text("level")) captured, which do not match the step",
                    advice: [
                        "record from before the start of the step until its end",
                        "name the channels of SCL and SDA with --wires",
                    ])
            ]
        }
        let deviations = comparison.deviations.sorted { $0.time < $1.time }
        let first = deviations.first.map { Self.text($0, fit, capture) } ?? ""
        let missing = comparison.required - comparison.found
        let wrong = deviations.count - missing
        let rate = (1 / fit.rate - 1) * 1e6
        return [
            AcceptanceCheck(
                "\(name), levels", Double(comparison.found), "of \(comparison.required)",
                least: Double(comparison.required), cause: first, advice: advice),
            AcceptanceCheck(
                "\(name), other values", Double(wrong), most: 0, cause: first, advice: advice),
            AcceptanceCheck(
                "\(name), greatest deviation", Double(comparison.worstOnset), "µs",
                most: CaptureFit.deviationMax),
            AcceptanceCheck(
                "\(name), rate of the board's clock relative to the analyzer's clock", rate, "ppm",
                least: -CaptureFit.driftMax * 1e6, most: CaptureFit.driftMax * 1e6),
        ]
    }

    /// Returns a description of a deviation as a clause, with the time since tick 0.
    private static func text(
        _ deviation: DriveComparison.Deviation, _ fit: CaptureFit, _ capture: BusCapture
    ) -> String {
        let place = "at \((Double(deviation.time) / 1e6).text(decimals: 4)) s"
        switch deviation.kind {
        case .missing(let value, let other, let shift):
            if let shift {
                let time = (Double(abs(shift)) / 1_000).text(decimals: 2)
                return
                    "\(place): \(value) was captured \(time) ms too \(shift > 0 ? "late" : "early")"
            }
            if let other { return "\(place): \(value) was expected, but \(other) was captured" }
            let time = fit.time(of: Double(deviation.time))
            if time > capture.duration {
                return "\(place): \(value) was expected, but the capture ends "
                    + "at \(max(0, fit.streamTime(of: capture.duration)).secondsText)"
            }
            if time < 0 { return "\(place): \(value) was expected, but the capture begins later" }
            return "\(place): \(value) was expected, but nothing was captured"
        case .unexpected(let value): return "\(place): \(value) was captured, but not expected"
        case .step(let from, let to):
            return "\(place): the ramp has no step between \(from) and \(to)"
        }
    }
}

extension ExpectedDrive {
    /// Returns the levels that the board must write, because they differ from the previous level or
    /// begin a tap.
    fileprivate func changes(_ value: (Int) -> Int) -> [CaptureFit.Level] {
        let sorted = obligations.sorted { $0.time < $1.time }
        var (levels, shown) = ([CaptureFit.Level](), 0)
        for (index, obligation) in sorted.enumerated() {
            let next = sorted[(index + 1)...].first
            guard obligation.kind == .tap || next?.time != obligation.time else { continue }
            let value = value(obligation.level)
            guard obligation.kind == .tap || value != shown else { continue }
            levels.append(.init(time: Double(obligation.time), value: value))
            shown = value
        }
        return levels
    }
}
