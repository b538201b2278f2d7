// bridge compile: compiles an AHAP file to an event stream and reports the losses.

import ArgumentParser
import HapticCompiler
import JSONText
import ToolSupport

struct Compile: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compile an AHAP file to an event stream (.hbes).",
        discussion: """
            A compiled file can be sent without further computation, and plays as rendered for its \
            profile. The default profile, reference, compensates for no actuator; with --profile \
            board, the file plays as `bridge play` plays the pattern. Each event that the profile \
            cannot render exactly is reported on standard error. With --check, any number of files \
            are compiled and nothing is written.

            Examples:
              bridge compile heartbeat.ahap -o heartbeat.hbes
              bridge compile --profile erm heartbeat.ahap -o - | bridge dump -
              bridge compile --check --profile lra *.ahap
              bridge compile --profile board heartbeat.ahap -o heartbeat.hbes
            """)

    @Argument(help: "AHAP files, or - for standard input.")
    var files: [String]

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp("The file to write, or - for standard output.", valueName: "file"))
    var destination: String?

    @Flag(help: "Report the losses without writing a file.")
    var check = false

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard check != (destination != nil) else {
            throw ValidationError("Give either -o FILE or --check.")
        }
        guard check || files.count == 1 else {
            throw ValidationError("-o needs a single input file; only --check accepts several.")
        }
        if output.json && destination == "-" {
            throw ValidationError("--json and -o - both write to standard output.")
        }
    }

    func run() throws {
        let target = try RenderingTarget(compiling, board)
        for path in files {
            let pattern = try PatternFile(
                path, reading, for: target.profile, options: compiling.compiler)
            if let destination {
                try FileJob(source: path, destination: destination).checkKeepsSource()
                try OutputFile.write(pattern.file.encoded, to: destination)
            }
            try report(pattern, target)
        }
    }

    private func report(_ pattern: PatternFile, _ target: RenderingTarget) throws {
        pattern.remarkRepairs(output)
        for item in pattern.report?.items ?? [] { output.remark(item.line(file: pattern.name)) }
        let report = pattern.report
        let count = report?.audioEvents ?? 0
        let sounds =
            count > 0 ? "; \(count.text("sound")) left out: a compiled file contains no sound" : ""
        output.remark(
            "\(pattern.name): \(pattern.bytes.count.text("byte")), \(EventCounts(pattern).text), "
                + "\(pattern.duration.secondsText); written events: \(report?.exact ?? 0) exact, "
                + "\(report?.degraded ?? 0) degraded, \(report?.notPlayed ?? 0) not played" + sounds
        )
        if output.json {
            try output.result(JSONWriter.text(of: json(pattern, target), layout: .compact))
        }
    }

    private func json(_ pattern: PatternFile, _ target: RenderingTarget) -> JSONValue {
        [
            "schema": "bridge.compile/1",
            "file": .string(pattern.name),
            "output": .string(destination),
            "profile": .string(target.name),
            "event_code_bytes": .number(pattern.bytes.count),
            "duration_us": .number(pattern.duration),
            "rendered_us": .number(pattern.renderedDuration),
            "lead_us": .number(pattern.lead),
            "events": EventCounts(pattern).json,
            "exact": .number(pattern.report?.exact),
            "degraded": .number(pattern.report?.degraded),
            "not_played": .number(pattern.report?.notPlayed),
            "sounds_left_out": .number(pattern.report?.audioEvents),
            "remarks": .array(pattern.diagnostics.map(\.json)),
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
            "line": .number(location?.line),
            "column": .number(location?.column),
            "message": .string(message),
        ]
    }
}
