// Reads and writes the file of an acceptance report, and determines the exit status of its command.

import AcceptanceReports
import JSONText
import ToolSupport

extension AcceptanceReport {
    /// Reads the file of a report. Throws `ToolError` with the location of the first error.
    init(path: String) throws(ToolError) {
        let file = try InputFile(path)
        do {
            try self.init(json: file.bytes)
        } catch {
            throw ToolError(error, in: file.name)
        }
    }

    /// Writes the report, either completely or not at all. Throws `ToolError`.
    func write(to path: String) throws(ToolError) {
        try OutputFile.write(Array(JSONWriter.text(of: json(of: nil)).utf8), to: path)
    }

    /// Returns the report as JSON.
    ///
    /// - Parameter path: the path of the report, if the JSON is the result of a command, which
    ///   contains the path but no frames; nil if the JSON is the content of the file.
    func json(of path: String?) -> JSONValue {
        let file: [JSONObject.Member] = path.map { [.init("report", .string($0))] } ?? []
        return JSONValue(
            .object(
                JSONObject(
                    [.init("schema", .string(Self.schema))] + file + [
                        .init("program", .string(program)),
                        .init("verdict", .string(verdict.rawValue)),
                        .init("board", board.json),
                        .init("steps", .array(steps.map { $0.json(withFrames: path == nil) })),
                    ])))
    }

    /// The exit status of the command, which is the status of the first check that has failed. If
    /// no check has failed, the status is `busy` for an incomplete test.
    var status: ExitStatus {
        let failed = steps.flatMap(\.checks).first { $0.verdict == .failed }
        guard let failed else { return incompleteness == nil ? .success : .busy }
        let status = failed.status.flatMap(ExitStatus.init(rawValue:)) ?? .success
        return status == .success ? .inputOutput : status
    }

    /// The reason why a report without a failed check does not show that the board works; nil if
    /// there is no such reason. Missing steps are not a reason, because steps can be run
    /// individually.
    var incompleteness: String? {
        guard verdict != .failed else { return nil }
        let interrupted = steps.filter { $0.verdict == .interrupted }.map(\.step.rawValue)
        guard interrupted.isEmpty else {
            return "interrupted: \(interrupted.joined(separator: ", "))"
        }
        let hasPassed = steps.contains { $0.checks.contains { $0.verdict == .passed } }
        return hasPassed ? nil : "every check was skipped"
    }
}

extension AcceptanceReport.Board {
    fileprivate var json: JSONValue {
        [
            "kind": .number(kind), "name": .string(name), "firmware": .string(firmware),
            "usb": .string(usb), "chips": .array(chips.map { .number($0) }),
            "configurations": .array(configurations.map { .string($0?.bytes.hexadecimal ?? "") }),
        ]
    }
}

extension AcceptanceReport.Step {
    fileprivate func json(withFrames: Bool) -> JSONValue {
        var traces: [JSONObject.Member] = []
        if withFrames {
            traces.append(.init("frames", .array(frames.map { .string($0.text) })))
            if let levels {
                traces.append(.init("levels", .array(levels.map { .string($0.text) })))
            }
        }
        return JSONValue(
            .object(
                JSONObject(
                    [
                        .init("step", .string(step.rawValue)),
                        .init("verdict", .string(verdict.rawValue)),
                        .init("seconds", .number(seconds)),
                        .init("checks", .array(checks.map(\.json))),
                    ] + traces)))
    }
}

extension AcceptanceCheck {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "verdict": .string(verdict.rawValue),
            "value": value.map { .number($0) } ?? nil, "unit": .string(unit),
            "least": least.map { .number($0) } ?? nil, "most": most.map { .number($0) } ?? nil,
            "note": .string(note), "advice": .array(advice.map { .string($0) }),
            "status": .number(status),
        ]
    }
}

extension ToolError {
    /// Creates an error for a report that was refused.
    init(_ error: AcceptanceReportError, in file: String) {
        let place = error.location.map { ":\($0)" } ?? ""
        self.init(.badData, "\(file)\(place): \(error.message)", advice: error.advice)
    }
}
