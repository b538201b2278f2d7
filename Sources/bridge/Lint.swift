// bridge lint: everything there is to say about a file, without playing it.

import AHAP
import ArgumentParser

struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check AHAP files.",
        discussion: """
            Prints one remark a line: file:line:column: severity: message [rule]. An error is \
            something for which the file is refused; a repair is read as what was probably meant; \
            a note is only worth knowing. The exit status is 65 if there is an error; with --strict, \
            repairs are errors.

            Examples:
              bridge lint pattern.ahap
              bridge lint --strict --verbose *.ahap
            """)

    @Argument(help: "AHAP files; - is standard input.")
    var files: [String]

    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        var worst: ToolError?
        for path in files {
            do {
                try lint(InputFile(path))
            } catch let error as ToolError {
                // The other files are checked all the same.
                if !error.message.isEmpty { Terminal.standardError.write(error.text + "\n") }
                worst = worst ?? ToolError(error.status, "")
            }
        }
        if let worst { throw worst }
    }

    private func lint(_ file: InputFile) throws {
        let remarks = AHAPLinter.lint(file.bytes, options: reading.reader)
        if output.json {
            try output.result(JSONWriter.text(of: json(file, remarks), layout: .compact))
        } else {
            for remark in remarks { try show(remark, in: file) }
        }
        if remarks.contains(where: { $0.severity == .error }) { throw ToolError(.badData, "") }
        if remarks.isEmpty { output.detail("\(file.name): nothing to remark") }
    }

    private func show(_ remark: Diagnostic, in file: InputFile) throws {
        let severity = remark.severity
        guard !output.quiet || severity == .error else { return }
        let advice = output.verbose ? "\n    \(remark.advice)" : ""
        try output.result(coloured(remark.line(file: file.name), severity) + advice)
    }

    private func coloured(_ line: String, _ severity: Diagnostic.Severity) -> String {
        let terminal = Terminal.standardOutput
        guard terminal.hasColours else { return line }
        let colour: Terminal.Colour =
            switch severity {
            case .error: .red
            case .repair: .yellow
            case .note: .blue
            }
        let word = " \(severity.rawValue): "
        let parts = line.split(separator: word, maxSplits: 1)
        guard parts.count == 2 else { return line }
        return parts[0] + terminal.coloured(word, colour) + parts[1]
    }

    private func json(_ file: InputFile, _ remarks: [Diagnostic]) -> JSONValue {
        func count(_ severity: Diagnostic.Severity) -> JSONValue {
            .number(remarks.count { $0.severity == severity })
        }
        return [
            "schema": "bridge.lint/1",
            "file": .string(file.name),
            "errors": count(.error), "repairs": count(.repair), "notes": count(.note),
            "remarks": .array(remarks.map(\.json)),
        ]
    }
}

extension Diagnostic {
    var json: JSONValue {
        [
            "rule": .string(rule.rawValue),
            "severity": .string(severity.rawValue),
            "line": .number(place?.line),
            "column": .number(place?.column),
            "pattern_index": .number(place?.patternIndex),
            "message": .string(message),
            "advice": .string(advice),
        ]
    }
}
