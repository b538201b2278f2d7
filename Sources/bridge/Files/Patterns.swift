// bridge patterns: the named patterns.

import ArgumentParser
import HapticBridge
import HapticPatterns

struct Patterns: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the named patterns, or print one as an AHAP file.",
        discussion: """
            The named patterns are our versions of the feedback that operating systems play. \
            `bridge play` plays them by name, unless there is a file with that name.

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
        var table = Table(["PATTERN", "LASTS", "FOR"])
        for feedback in SystemFeedback.allCases {
            let length = feedback.pattern.value.length
            table.append(
                feedback.rawValue, length == 0 ? "a tap" : length.secondsText, feedback.summary)
        }
        try output.result(
            [
                "schema": "bridge.patterns/1",
                "patterns": .array(
                    SystemFeedback.allCases.map { feedback in
                        [
                            "name": .string(feedback.rawValue),
                            "duration_us": .number(feedback.pattern.value.length),
                            "summary": .string(feedback.summary),
                            "provenance": .string(feedback.provenance),
                        ]
                    }),
            ], text: table.text)
    }
}
