// bridge accept --capture: compares a capture of another program with a report.

import AcceptanceReports
import ArgumentParser
import ToolSupport

/// The options for a logic analyzer on the bus.
struct WitnessOptions: ParsableArguments {
    @Option(
        name: [.customLong("analyzer"), .customLong("analyser")],
        help: ArgumentHelp(
            """
            Record SDA and SCL with a logic analyzer during an additional step, `bus`. The driver \
            is a driver of sigrok-cli, such as fx2lafw or fx2lafw:conn=1.6.
            """, valueName: "driver"))
    var driver: String?

    @Option(
        help: ArgumentHelp(
            """
            Compare a capture of the step `bus` or `events` with the report: a sigrok session, a \
            VCD file or a CSV file. No board is needed.
            """, valueName: "file"))
    var capture: String?

    @Option(
        help: ArgumentHelp(
            """
            The channels of SCL and SDA (default: the channels with these names, or D0 and D1).
            """, valueName: "scl,sda"))
    var wires: String?

    @Option(
        name: .customLong("capture-format"),
        help: ArgumentHelp(
            """
            The input format for sigrok-cli, with its options, such as csv:samplerate=4000000. By \
            default, a CSV file has a line for each sample, with the time and a column for each \
            wire.
            """, valueName: "format"))
    var format: String?

    func validate() throws {
        if let wires, Wires(wires) == nil {
            throw ValidationError(
                "--wires must be two names of channels, such as D0,D1, and not \"\(wires)\".")
        }
        if driver != nil, capture != nil {
            throw ValidationError("--analyzer and --capture cannot be combined.")
        }
        if wires != nil, driver == nil, capture == nil {
            throw ValidationError("--wires needs --analyzer or --capture.")
        }
        if format != nil, capture == nil {
            throw ValidationError("--capture-format needs --capture.")
        }
    }

    /// Returns the analyzer; nil if the options name no analyzer. Throws `ToolError` if sigrok-cli
    /// is not installed.
    func analyzer() throws(ToolError) -> BusAnalyzer? {
        guard let driver else { return nil }
        _ = try LogicAnalyzer.find()
        return BusAnalyzer(driver: driver, wires: wires.flatMap(Wires.init) ?? .ofAnalyzer)
    }
}

extension AcceptTest {
    /// The minimum fraction of the levels of a step that a capture of the step must contain.
    private static let shareMin = 0.5

    /// Compares the capture with the steps whose levels it contains, or with the most similar step
    /// if it contains the levels of no step. Then writes the report. Throws `ToolError`.
    func compareCapture() throws -> AcceptanceReport {
        var report = try AcceptanceReport(path: file)
        let candidates = report.steps.filter { step in
            [.bus, .events].contains(step.step) && (only.isEmpty || only.contains(step.step))
        }
        guard !candidates.isEmpty else {
            throw ToolError(
                .badData, "\(file): no step can be compared with a capture",
                advice: "record the wires during the step: "
                    + "bridge accept \(file) --only bus")
        }
        output.remark("\(witness.capture!): decoding the capture, which can take minutes")
        let capture = try BusCapture(
            witness.capture!, witness.wires.flatMap(Wires.init), format: witness.format)
        let witnesses = try candidates.map {
            (step: $0, witness: try BusWitness(capture, $0, of: report.board, in: file))
        }
        let best = witnesses.map(\.witness.share).max() ?? 0
        for (candidate, witness) in witnesses where witness.share >= min(best, Self.shareMin) {
            var step = candidate
            step.record(witness)
            report.record(step)
        }
        try report.write(to: file)
        return report
    }
}
