// bridge compile: from an AHAP file to event code in a file, with what gets lost on the way.

import AHAP
import ArgumentParser
import HapticCompiler

struct Compile: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compile an AHAP file to an event stream (.hbes).",
        discussion: """
            A compiled file plays as its AHAP file does, and is ready to be sent. What the profile \
            cannot render exactly is reported on standard error, event by event. With --check, \
            any number of files is compiled and nothing is written.

            Examples:
              bridge compile heartbeat.ahap -o heartbeat.hbes
              bridge compile --profile erm heartbeat.ahap -o - | bridge dump -
              bridge compile --check --profile lra *.ahap
            """)

    @Argument(help: "AHAP files; - is standard input.")
    var files: [String]

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
    var destination: String?

    @Flag(help: "Only report; write no file.")
    var check = false

    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard check != (destination != nil) else {
            throw ValidationError("Either -o FILE or --check is needed, and not both.")
        }
        guard check || files.count == 1 else {
            throw ValidationError("-o takes one input file; --check takes several.")
        }
        if output.json && destination == "-" {
            throw ValidationError("--json and -o - both write to standard output.")
        }
    }

    func run() throws {
        for path in files {
            let pattern = try PatternFile(path, reading, compiling)
            if let destination { try OutputFile.write(pattern.file.encoded, to: destination) }
            try report(pattern)
        }
    }

    private func report(_ pattern: PatternFile) throws {
        pattern.remarkRepairs(output)
        for item in pattern.report?.items ?? [] { output.remark(item.line(file: pattern.name)) }
        let report = pattern.report
        output.remark(
            "\(pattern.name): \(pattern.bytes.count) bytes, \(EventCounts(pattern).text), "
                + "\(pattern.duration.secondsText); written events: \(report?.exact ?? 0) exact, "
                + "\(report?.degraded ?? 0) degraded, \(report?.notPlayed ?? 0) not played")
        if output.json { try output.result(JSONWriter.text(of: json(pattern), layout: .compact)) }
    }

    private func json(_ pattern: PatternFile) -> JSONValue {
        [
            "schema": "bridge.compile/1",
            "file": .string(pattern.name),
            "output": .string(destination),
            "profile": .string(compiling.profile),
            "event_code_bytes": .number(pattern.bytes.count),
            "duration_us": .number(pattern.duration),
            "rendered_us": .number(pattern.renderedDuration),
            "events": EventCounts(pattern).json,
            "exact": .number(pattern.report?.exact),
            "degraded": .number(pattern.report?.degraded),
            "not_played": .number(pattern.report?.notPlayed),
            "remarks": .array(pattern.remarks.map(\.json)),
            "losses": .array(pattern.report?.items.map(\.json) ?? []),
        ]
    }
}

extension LoweringReport.Item {
    var json: JSONValue {
        [
            "rule": .string(rule.rawValue),
            "event": .number(event),
            "time_us": .number(time),
            "line": .number(place?.line),
            "column": .number(place?.column),
            "message": .string(message),
        ]
    }
}
