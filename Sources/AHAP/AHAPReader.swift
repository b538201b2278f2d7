// The way in: bytes of an AHAP file to what it says and what it means.

/// Reads AHAP files.
public enum AHAPReader {
    /// How to read.
    public struct Options: Sendable, Equatable {
        /// Refuses a file that is not exactly what AHAP and JSON ask for, instead of repairing it.
        /// False by default. Notes are no refusals in either mode.
        public var strict: Bool
        /// From where control points count their times. Automatic by default.
        public var curveTimes: CurveTimes

        /// Makes options.
        public init(strict: Bool = false, curveTimes: CurveTimes = .automatic) {
            self.strict = strict
            self.curveTimes = curveTimes
        }
    }

    /// What came out.
    public struct Result: Sendable {
        /// What the file says, for writing it again.
        public var document: AHAPDocument
        /// What the file means, for playing it.
        public var pattern: HapticPattern
        /// Repairs and notes by place in the file.
        public var diagnostics: [Diagnostic]
    }

    /// Reads the bytes of an AHAP file.
    ///
    /// - Throws: ``AHAPError`` with the place of the first thing that cannot be read.
    public static func read(
        _ bytes: [UInt8], options: Options = Options()
    ) throws(AHAPError) -> Result {
        var report = Report(isStrict: options.strict)
        return try read(bytes, options: options, report: &report)
    }

    /// Gives a document its meaning, for one that was made in code rather than read.
    ///
    /// - Throws: ``AHAPError``, without a place where the document has none.
    public static func read(
        _ document: AHAPDocument, options: Options = Options()
    ) throws(AHAPError) -> Result {
        var report = Report(isStrict: options.strict)
        return try read(document, options: options, report: &report)
    }

    /// Reads a JSON value that was made in code.
    ///
    /// - Throws: ``AHAPError``, without a place where the value has none.
    public static func read(
        _ json: JSONValue, options: Options = Options()
    ) throws(AHAPError) -> Result {
        var report = Report(isStrict: options.strict)
        let document = try document(from: json, report: &report)
        return try read(document, options: options, report: &report)
    }

    /// The same for a caller that keeps the report, even when the file is refused.
    static func read(
        _ bytes: [UInt8], options: Options, report: inout Report
    ) throws(AHAPError) -> Result {
        let json = try JSONReader.read(bytes, report: &report)
        let document = try document(from: json, report: &report)
        return try read(document, options: options, report: &report)
    }

    private static func document(
        from json: JSONValue, report: inout Report
    ) throws(AHAPError) -> AHAPDocument {
        var decoder = DocumentDecoder(report: report)
        defer { report = decoder.report }
        return try decoder.document(from: json)
    }

    private static func read(
        _ document: AHAPDocument, options: Options, report: inout Report
    ) throws(AHAPError) -> Result {
        let pattern = try pattern(of: document, options: options, report: &report)
        report.add(AHAPLinter.notes(on: pattern))
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

extension [Diagnostic] {
    /// By line and column, those of one place in the order of finding; those without place first.
    var inFileOrder: [Diagnostic] {
        sorted {
            ($0.place?.line ?? 0, $0.place?.column ?? 0)
                < ($1.place?.line ?? 0, $1.place?.column ?? 0)
        }
    }
}
