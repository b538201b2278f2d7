// bridge explain: what becomes of every event of a pattern, and why.

import AHAP
import ArgumentParser
import HapticCompiler

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say for every event what is rendered, degraded or lost, and why.",
        discussion: """
            The profile says what the actuator can do; reference keeps everything. The last lines \
            say how far the event stream is from the file: in units, and in just-noticeable \
            differences (24 ms, 20 % of a level), of which less than 1 is not felt.

            Examples:
              bridge explain pattern.ahap
              bridge explain --profile erm --json pattern.ahap
            """)

    @Argument(help: "AHAP files; - is standard input.")
    var files: [String]

    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        for path in files {
            let file = try PatternFile(path, reading, compiling)
            guard let pattern = file.pattern, let report = file.report else {
                throw ToolError(
                    .badData, "\(path): a compiled file no longer holds the pattern",
                    advice: "explain the AHAP file; `bridge dump` shows a compiled one")
            }
            let fidelity = Fidelity(of: file.events, against: pattern, options: compiling.compiler)
            file.remarkRepairs(output)
            try output.result(
                json(file, pattern, report, fidelity), text: text(file, pattern, report, fidelity))
        }
    }

    /// "rendered", "degraded" or "not played".
    private func verdict(_ items: [LoweringReport.Item]) -> String {
        if items.contains(where: \.rule.isNotPlayed) { return "not played" }
        return items.isEmpty ? "rendered" : "degraded"
    }

    private func text(
        _ file: PatternFile, _ pattern: HapticPattern, _ report: LoweringReport,
        _ fidelity: Fidelity
    ) -> String {
        let findings = Dictionary(grouping: report.items, by: \.event)
        var table = Table(["time s", "event", "verdict", "why"])
        for (index, event) in pattern.events.enumerated() {
            let items = findings[index] ?? []
            let why = items.map { "\($0.message) [\($0.rule.rawValue)]" }.joined(separator: "; ")
            table.append(
                (Double(event.time) / 1e6).text(decimals: 3), event.type.rawValue, verdict(items),
                why)
        }
        return """
            \(file.name), profile \(compiling.profile)
            \(table.text)
            \(report.exact) rendered, \(report.degraded) degraded, \(report.notPlayed) not played
            in time: within \(Double(fidelity.onset) / 1_000) ms, \
            \(fidelity.onsetInJND.text(decimals: 3)) of what is noticed
            in level: within \(fidelity.level.text(decimals: 2)) of 255, \
            \(fidelity.levelJND.text(decimals: 2)) of what is noticed
            """
    }

    private func json(
        _ file: PatternFile, _ pattern: HapticPattern, _ report: LoweringReport,
        _ fidelity: Fidelity
    ) -> JSONValue {
        let findings = Dictionary(grouping: report.items, by: \.event)
        let events: [JSONValue] = pattern.events.enumerated().map { index, event in
            let items = findings[index] ?? []
            return [
                "time_us": .number(event.time), "event": .string(event.type.rawValue),
                "line": .number(event.place?.line), "column": .number(event.place?.column),
                "verdict": .name(verdict(items)),
                "why": .array(items.map(\.json)),
            ]
        }
        return [
            "schema": "bridge.explain/1",
            "file": .string(file.name), "profile": .string(compiling.profile),
            "events": .array(events),
            "exact": .number(report.exact), "degraded": .number(report.degraded),
            "not_played": .number(report.notPlayed),
            "onset_error_us": .number(fidelity.onset),
            "onset_error_jnd": .thousandths(Int(fidelity.onsetInJND * 1_000)),
            "level_error": .thousandths(Int(fidelity.level * 1_000)),
            "level_error_jnd": .thousandths(Int(fidelity.levelJND * 1_000)),
        ]
    }
}
