// bridge lint: reports all diagnostics for a file without playing it.

import AHAP
import ArgumentParser
import JSONText
import PatternFormats
import ToolSupport

struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check pattern files.",
        discussion: """
            Prints one diagnostic per line: file:line:column: severity: message [rule]. A file \
            with an error is refused; the line after an error contains advice. All errors of an \
            AHAP file are reported together, unless the file is not valid JSON. A repair means \
            that the text is accepted with its probable meaning. A warning concerns a sound that \
            cannot be played, or a part of another format that a pattern cannot contain. A note is \
            for information only. In a binary file, "byte N" replaces line and column. The exit \
            status is 65 if there is an error; with --strict, repairs and warnings are errors. \
            With --verbose, every message is followed by advice and by its effect on a board and on \
            an iPhone.

            --fix writes the repairs into the files. The meaning of a file and the bytes that need \
            no repair do not change. Comments and unknown members are removed, and each removal is \
            reported. A file with an error is not changed. Repaired standard input is written to \
            standard output.

            Examples:
              bridge lint pattern.ahap
              bridge lint --strict --verbose *.ahap
              bridge lint --fix pattern.ahap
            """)

    @Argument(help: "AHAP files or files of other formats, or - for standard input.")
    var files: [String]

    @Flag(help: "Repair the files in place.")
    var fix = false

    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if fix && output.json && files.contains("-") {
            throw ValidationError(
                "--json and the repaired text would both be written to standard output.")
        }
    }

    func run() throws {
        var worst: ToolError?
        for path in files {
            var file: InputFile?
            do {
                let read = try InputFile(path)
                file = read
                if fix { try repair(read, at: path) } else { try lint(read) }
            } catch let error as ToolError {
                // After an error in a file, the remaining files are still checked.
                if let refusal = error.diagnostic {
                    let name = file?.name ?? InputFile.name(of: path)
                    try show([refusal.placed(in: file)], on: name, fixed: [])
                } else if !error.message.isEmpty {
                    Terminal.standardError.write(error.text + "\n")
                }
                worst = worst ?? ToolError(error.status, "")
            }
        }
        if let worst { throw worst }
    }

    /// Writes the repaired file, and reports the problems that could not be repaired.
    private func repair(_ file: InputFile, at path: String) throws {
        guard file.isAHAP else {
            try lint(file)
            throw ToolError(
                .badData, "\(file.name): only AHAP files can be repaired",
                advice: "convert it to AHAP with `bridge convert`")
        }
        let result: AHAPFixer.Result
        do {
            result = try AHAPFixer.fix(file.bytes, options: reading.reader)
        } catch {
            // All errors are reported, as they are without --fix.
            let remarks = AHAPLinter.lint(file.bytes, options: reading.reader)
            guard path != "-", remarks.contains(where: { $0.severity == .error }) else {
                throw ToolError(error.diagnostic, in: file.name)
            }
            defer {
                output.remark("\(file.name): nothing was written: fix the errors first")
            }
            return try report(remarks, on: file, fixed: [])
        }
        if path == "-" {
            try Terminal.standardOutput.write(result.bytes)
        } else if !result.fixed.isEmpty {
            try OutputFile.write(result.bytes, to: path)
        }
        for remark in result.removed { output.remark("removed: \(remark.line(file: file.name))") }
        for remark in result.fixed { output.detail("repaired: \(remark.line(file: file.name))") }
        if !result.fixed.isEmpty {
            output.remark("\(file.name): \(result.fixed.count.text("repair")) written")
        } else if path != "-" {
            output.remark("\(file.name): no repair is needed; nothing was written")
        }
        if path != "-" { try lint(file, result.bytes, fixed: result.fixed) }
    }

    private func lint(_ file: InputFile) throws {
        guard !file.bytes.starts(with: PatternFile.magic) else {
            throw ToolError(
                refused: file.name, "a compiled file, which has no text to check",
                advice: "`bridge dump` lists its events")
        }
        try file.checkIsNoOtherKind()
        guard !file.isAHAP else { return try lint(file, file.bytes) }
        let (read, losses) = try file.readPattern(reading)
        let remarks = losses.map { Diagnostic($0, isStrict: reading.strict) }
        try report((remarks + AHAPLinter.diagnostics(on: read)).inFileOrder, on: file, fixed: [])
    }

    private func lint(_ file: InputFile, _ bytes: [UInt8], fixed: [Diagnostic] = []) throws {
        let read = try? AHAPReader.read(bytes, options: reading.reader)
        let remarks =
            read.map(AHAPLinter.diagnostics) ?? AHAPLinter.lint(bytes, options: reading.reader)
        let sounds = read?.soundDiagnostics(in: file.soundBase, reading).map(\.diagnostic) ?? []
        try report((remarks + sounds).inFileOrder, on: file, fixed: fixed)
    }

    private func report(
        _ remarks: [Diagnostic], on file: InputFile, fixed: [Diagnostic]
    ) throws {
        try show(remarks.map { $0.placed(in: file) }, on: file.name, fixed: fixed)
        if remarks.contains(where: { $0.severity == .error }) { throw ToolError(.badData, "") }
        if remarks.isEmpty { output.detail("\(file.name): no errors, repairs or warnings") }
    }

    private func show(
        _ remarks: [Diagnostic], on file: String, fixed: [Diagnostic]
    ) throws {
        if output.json {
            try output.result(JSONWriter.text(of: json(file, remarks, fixed), layout: .compact))
        } else {
            for remark in remarks { try show(remark, in: file) }
        }
    }

    private func show(_ remark: Diagnostic, in file: String) throws {
        let severity = remark.severity
        guard !output.quiet || severity == .error else { return }
        let rule = remark.rule
        var lines = [coloured(remark.line(file: file), severity)]
        if output.verbose || severity == .error || severity == .warning || remark.isForAuthor {
            lines.append("    \(remark.advice)")
        }
        if output.verbose {
            lines += ["    on a board: \(rule.onBoard)", "    on an iPhone: \(rule.onIPhone)"]
        }
        try output.result(lines.joined(separator: "\n"))
    }

    private func coloured(_ line: String, _ severity: Diagnostic.Severity) -> String {
        let terminal = Terminal.standardOutput
        guard terminal.hasColours else { return line }
        let colour: Terminal.Colour =
            switch severity {
            case .error: .red
            case .repair, .warning: .yellow
            case .note: .blue
            }
        let word = " \(severity.rawValue): "
        let parts = line.split(separator: word, maxSplits: 1)
        guard parts.count == 2 else { return line }
        return parts[0] + terminal.coloured(word, colour) + parts[1]
    }

    private func json(
        _ file: String, _ remarks: [Diagnostic], _ fixed: [Diagnostic]
    ) -> JSONValue {
        func count(_ severity: Diagnostic.Severity) -> JSONValue {
            .number(remarks.count { $0.severity == severity })
        }
        return [
            "schema": "bridge.lint/1",
            "file": .string(file),
            "errors": count(.error), "repairs": count(.repair), "warnings": count(.warning),
            "notes": count(.note),
            "remarks": .array(remarks.map(\.json)),
            "fixed": fix ? .array(fixed.map(\.json)) : nil,
        ]
    }
}

extension Diagnostic {
    /// Creates a warning, or an error in strict mode, about a loss of a format.
    fileprivate init(_ loss: FormatLoss, isStrict: Bool) {
        self.init(
            .formatLoss, isStrict ? .error : .warning, at: loss.location?.sourceLocation,
            byte: loss.location?.byteOffset, loss.description,
            advice: "`bridge convert` writes the pattern as it is played")
    }

    /// Returns the diagnostic with a location. A diagnostic that concerns the file as a whole
    /// receives the beginning of the file as its location.
    ///
    /// - Parameter file: the file; nil if it could not be read.
    fileprivate func placed(in file: InputFile?) -> Diagnostic {
        guard location == nil, byte == nil else { return self }
        var placed = self
        if file?.isBinary == true {
            placed.byte = 0
        } else {
            placed.location = SourceLocation(line: 1, column: 1)
        }
        return placed
    }

    var json: JSONValue {
        [
            "rule": .string(rule.rawValue),
            "severity": .string(severity.rawValue),
            "line": .number(location?.line),
            "column": .number(location?.column),
            "byte": .number(byte),
            "pattern_index": .number(location?.entryIndex),
            "message": .string(message),
            "advice": .string(advice),
            "on_board": .string(rule.onBoard),
            "on_iphone": .string(rule.onIPhone),
        ]
    }
}
