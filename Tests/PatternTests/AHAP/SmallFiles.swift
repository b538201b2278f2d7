// Short functions that write and read small files.

import AHAP

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Reads a whole file.
func read(
    _ text: String, strict: Bool = false, curveTimes: CurveTimes = .automatic
) throws -> AHAPReader.Result {
    try AHAPReader.read(bytes(text), options: .init(strict: strict, curveTimes: curveTimes))
}

/// Returns a file with the given entries of `Pattern`, on one line.
func pattern(_ entries: String...) -> String {
    "{\"Pattern\": [\(entries.joined(separator: ", "))]}"
}

/// Returns an event as an entry of `Pattern`.
func event(_ members: String) -> String { "{\"Event\": {\(members)}}" }

/// Returns a parameter of an event.
func parameter(_ id: String, _ value: String) -> String {
    "{\"ParameterID\": \"\(id)\", \"ParameterValue\": \(value)}"
}

/// Returns a curve as an entry of `Pattern`. Each point consists of a time and a value.
func curve(_ id: String, _ time: String, _ points: (String, String)...) -> String {
    let list = points.map { "{\"Time\": \($0.0), \"ParameterValue\": \($0.1)}" }
    return """
        {"ParameterCurve": {"ParameterID": "\(id)", "Time": \(time), \
        "ParameterCurveControlPoints": [\(list.joined(separator: ", "))]}}
        """
}

/// An arbitrary event, for files in which the event does not matter.
let tap = event("\"EventType\": \"HapticTransient\"")

/// Returns the error if a file is rejected, or nil if the file is read.
func refusal(_ text: String, strict: Bool = false) -> AHAPError? {
    do throws(AHAPError) {
        _ = try AHAPReader.read(
            bytes(text), options: .init(strict: strict, curveTimes: .automatic))
        return nil
    } catch {
        return error
    }
}

/// The machine-readable part of a diagnostic: its rule and its location.
struct Remark: Equatable, CustomStringConvertible {
    var rule: Diagnostic.Rule
    var line: Int
    var column: Int

    init(_ rule: Diagnostic.Rule, _ line: Int, _ column: Int) {
        self.rule = rule
        self.line = line
        self.column = column
    }

    /// Creates the expected diagnostic at the first occurrence of `part` in `text`.
    init(_ rule: Diagnostic.Rule, on part: String, of text: String) {
        let before = text[..<(text.firstRange(of: part)?.lowerBound ?? text.endIndex)]
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        self.init(rule, lines.count, (lines.last?.unicodeScalars.count ?? 0) + 1)
    }

    init(_ diagnostic: Diagnostic) {
        self.init(
            diagnostic.rule, diagnostic.location?.line ?? 0, diagnostic.location?.column ?? 0)
    }

    var description: String { "\(line):\(column) \(rule.rawValue)" }
}

/// The error that a test throws if it cannot continue.
struct Unexpected: Error {}
