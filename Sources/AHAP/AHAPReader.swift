// AHAPReader: reads the bytes of an AHAP file into a document (its content) and a pattern (the
// meaning of the content).

import HapticPatterns
import JSONText

/// Reads AHAP files.
public enum AHAPReader {
    /// The options for reading a file.
    public struct Options: Sendable, Equatable {
        /// True if a file must comply exactly with AHAP and JSON, and any deviation is an error. If
        /// false (the default), deviations are repaired. Notes are not errors in either mode.
        public var strict: Bool
        /// The reference point for the times of control points. By default, the times are relative
        /// to the start of their curve, as in Core Haptics.
        public var curveTimes: CurveTimes
        /// The maximum size of a file in bytes: 16 MB by default. The largest known file is 2.5 MB
        /// in size.
        public var mostBytes = 16 << 20
        /// The maximum number of entries of `Pattern` (events, parameters and curves together):
        /// 100,000 by default.
        public var mostEvents = 100_000
        /// The maximum number of control points of all curves together: 100,000 by default.
        public var mostControlPoints = 100_000

        /// Creates options.
        public init(strict: Bool = false, curveTimes: CurveTimes = .relative) {
            self.strict = strict
            self.curveTimes = curveTimes
        }
    }

    /// The result of reading a file.
    public struct Result: Sendable {
        /// The content of the file, which can be written as a file again.
        public var document: AHAPDocument
        /// The pattern that the file describes, ready to be compiled and played.
        public var pattern: HapticPattern
        /// The repairs and notes of the reader, sorted by location in the file.
        /// ``AHAPLinter/diagnostics(on:)`` returns further notes on the pattern.
        public var diagnostics: [Diagnostic]
    }

    /// Reads the bytes of an AHAP file.
    ///
    /// Time and memory are proportional to the size of the file. Reading fails if the file exceeds
    /// the limits of the options or of ``JSONReader``, or if it needs more than 100,000 repairs.
    ///
    /// - Throws: ``AHAPError`` with the location of the first error.
    public static func read(
        _ bytes: [UInt8], options: Options = Options()
    ) throws(AHAPError) -> Result {
        var report = Report(isStrict: options.strict)
        return try read(bytes, options: options, report: &report)
    }

    /// Converts a document that was created in code to a pattern.
    ///
    /// - Throws: ``AHAPError``. If the document has no locations, the error has no location.
    public static func read(
        _ document: AHAPDocument, options: Options = Options()
    ) throws(AHAPError) -> Result {
        var report = Report(isStrict: options.strict)
        return try read(document, options: options, report: &report)
    }

    /// Reads a JSON value that was created in code.
    ///
    /// - Throws: ``AHAPError``. If the value has no location, the error has no location.
    public static func read(
        _ json: JSONValue, options: Options = Options()
    ) throws(AHAPError) -> Result {
        var report = Report(isStrict: options.strict)
        let document = try document(from: json, options: options, report: &report)
        return try read(document, options: options, report: &report)
    }

    /// Reads the bytes of an AHAP file into a document and a pattern, and adds the diagnostics to
    /// the caller's report. The report contains the diagnostics even if reading fails.
    static func read(
        _ bytes: [UInt8], options: Options, report: inout Report
    ) throws(AHAPError) -> Result {
        guard bytes.count <= options.mostBytes else { throw tooManyBytes(bytes.count, options) }
        let json = try json(of: bytes, report: &report)
        let document = try document(from: json, options: options, report: &report)
        return try read(document, options: options, report: &report)
    }

    private static func json(of bytes: [UInt8], report: inout Report) throws(AHAPError) -> JSONValue
    {
        var findings = JSONReport(isStrict: report.isStrict)
        defer { report.add(findings.diagnostics) }
        do {
            return try JSONReader.read(bytes, report: &findings)
        } catch {
            throw AHAPError(error)
        }
    }

    private static func tooManyBytes(_ count: Int, _ options: Options) -> AHAPError {
        AHAPError(
            code: .invalidPatternData, rule: .tooLarge, location: nil,
            message: "the file has \(count) bytes; the limit is \(options.mostBytes) bytes",
            advice: "shorten the file, or split the pattern into several files")
    }

    private static func document(
        from json: JSONValue, options: Options, report: inout Report
    ) throws(AHAPError) -> AHAPDocument {
        var decoder = DocumentDecoder(report: report, options: options)
        defer { report = decoder.report }
        return try decoder.document(from: json)
    }

    private static func read(
        _ document: AHAPDocument, options: Options, report: inout Report
    ) throws(AHAPError) -> Result {
        let pattern = try pattern(of: document, options: options, report: &report)
        return Result(
            document: document, pattern: pattern, diagnostics: report.diagnostics.inFileOrder)
    }

    private static func pattern(
        of document: AHAPDocument, options: Options, report: inout Report
    ) throws(AHAPError) -> HapticPattern {
        var builder = PatternBuilder(report: report, curveTimes: options.curveTimes)
        defer { report = builder.report }
        return try builder.pattern(of: document)
    }
}
