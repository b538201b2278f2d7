// bridge patterns: lists and prints the named patterns and the samples.

import AHAP
import ArgumentParser
import HapticBridge
import HapticPatterns
import JSONText
import ToolSupport

struct Patterns: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the named patterns, or print one as an AHAP file.",
        discussion: """
            The named patterns are versions of the feedback that operating systems play. `bridge \
            play` plays them by name, unless a file with that name exists. The list states the \
            meaning of each pattern and the uses to avoid: users recognize a pattern only if it \
            always has the same meaning. The list ends with sample patterns, which have no \
            assigned meaning: use them to try out an actuator, or as a starting point for your own \
            patterns. With --json, a pattern is printed on one line.

            Examples:
              bridge patterns
              bridge patterns success > mine.ahap
              bridge play success
              bridge play ball
            """)

    @Argument(help: "The pattern to print.", completion: .list(NamedPattern.names))
    var name: String?

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        if let name {
            guard let pattern = NamedPattern(name) else {
                var error = ToolError(.usage, "there is no pattern \(name)")
                let near = suggestion(for: name, among: NamedPattern.names)
                error.advice = [near, "`bridge patterns` lists the available patterns"]
                    .compactMap(\.self)
                throw error
            }
            guard output.json else { return try Terminal.standardOutput.write(pattern.file) }
            let file = try JSONReader.read(pattern.file).value
            return try output.result(JSONWriter.text(of: file, layout: .compact))
        }
        let samples = try SamplePattern.allCases.map(Sample.init)
        try output.result(
            [
                "schema": "bridge.patterns/1",
                "patterns": .array(SystemFeedback.allCases.map(Self.json)),
                "samples": .array(samples.map(\.json)),
            ], text: Self.text(samples))
    }

    private static func json(_ feedback: SystemFeedback) -> JSONValue {
        [
            "name": .string(feedback.rawValue),
            "family": .string(feedback.family.rawValue),
            "duration_us": .number(feedback.pattern.value.length),
            "summary": .string(feedback.summary),
            "meaning": .string(feedback.meaning),
            "not_for": .string(feedback.misuse),
            "provenance": .string(feedback.provenance),
        ]
    }

    /// The patterns with their meanings, grouped by family, and the samples.
    private static func text(_ samples: [Sample]) -> String {
        let families = SystemFeedback.Family.allCases.map { family in
            let patterns = SystemFeedback.allCases.filter { $0.family == family }
            return ["\(family.rawValue):"] + patterns.map(text)
        }
        return (families + [["samples:"] + samples.map(\.text)])
            .map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private static func text(_ feedback: SystemFeedback) -> String {
        let length = feedback.pattern.value.length
        let lasts = length == 0 ? "a tap" : length.secondsText
        return """
              \(feedback.rawValue) (\(lasts)). \(feedback.summary)
                  For: \(feedback.meaning)
                  Not for: \(feedback.misuse).
            """
    }
}

/// The data of a sample in the list.
private struct Sample {
    let name: String
    let summary: String
    let length: Microseconds

    init(_ sample: SamplePattern) throws {
        let read = try AHAPReader.read(sample.file)
        name = sample.rawValue
        summary = read.document.note("Description") ?? ""
        length = read.pattern.length
    }

    var json: JSONValue {
        [
            "name": .string(name), "duration_us": .number(length), "summary": .string(summary),
        ]
    }

    var text: String { "  \(name) (\(length.secondsText)). \(summary)." }
}
