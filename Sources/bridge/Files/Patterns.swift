// bridge patterns: the named patterns.

import ArgumentParser
import HapticBridge
import HapticPatterns
import JSONText

struct Patterns: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the named patterns, or print one as an AHAP file.",
        discussion: """
            The named patterns are our versions of the feedback that operating systems play. \
            `bridge play` plays them by name, unless there is a file with that name. The list says \
            what each one stands for, and what it must not be used for: people know a pattern \
            only as long as it always means the same.

            Examples:
              bridge patterns
              bridge patterns success > mine.ahap
              bridge play success
            """)

    @Argument(
        help: "The pattern to print.", completion: .list(SystemFeedback.allCases.map(\.rawValue)))
    var name: String?

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        if let name {
            guard let feedback = SystemFeedback(rawValue: name) else {
                var error = ToolError(.usage, "there is no pattern \(name)")
                let near = suggestion(for: name, among: SystemFeedback.allCases.map(\.rawValue))
                error.advice = [near, "`bridge patterns` lists them"].compactMap { $0 }
                throw error
            }
            return try Terminal.standardOutput.write(Array(feedback.file))
        }
        try output.result(
            [
                "schema": "bridge.patterns/1",
                "patterns": .array(SystemFeedback.allCases.map(Self.json)),
            ], text: Self.text)
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

    /// The patterns with their meanings, family by family.
    private static var text: String {
        SystemFeedback.Family.allCases.map { family in
            let patterns = SystemFeedback.allCases.filter { $0.family == family }
            return (["\(family.rawValue):"] + patterns.map(text)).joined(separator: "\n")
        }.joined(separator: "\n\n")
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
