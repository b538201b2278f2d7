// The way in: bytes of an AHAP file to what it says and what it means.

/// Reads AHAP files.
public enum AHAPReader {
    /// How to read.
    public struct Options: Sendable, Equatable {
        /// Refuses a file that is not exactly what AHAP and JSON ask for, instead of repairing it.
        /// False by default. Notes are no refusals in either mode.
        public var strict: Bool
        /// From where control points count their times. From their curve by default, as Core
        /// Haptics does.
        public var curveTimes: CurveTimes
        /// The most bytes of a file: 16 MB by default. Real files have up to 2.5 MB.
        public var mostBytes = 16 << 20
        /// The most entries of `Pattern`, that is events, parameters and curves together: 100,000
        /// by default.
        public var mostEvents = 100_000
        /// The most control points of all curves together: 100,000 by default.
        public var mostControlPoints = 100_000

        /// Makes options.
        public init(strict: Bool = false, curveTimes: CurveTimes = .relative) {
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
        /// The repairs by place in the file, and the notes that reading gives. What else there is
        /// to know about the pattern, ``AHAPLinter/remarks(on:)`` says.
        public var diagnostics: [Diagnostic]
    }

    /// Reads the bytes of an AHAP file.
    ///
    /// Takes time and memory in proportion to the size of the file. A file is refused that exceeds
    /// the limits of the options or of ``JSONReader``, or needs more than 100,000 repairs.
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
        let document = try document(from: json, options: options, report: &report)
        return try read(document, options: options, report: &report)
    }

    /// The same for a caller that keeps the report, even when the file is refused.
    static func read(
        _ bytes: [UInt8], options: Options, report: inout Report
    ) throws(AHAPError) -> Result {
        guard bytes.count <= options.mostBytes else { throw tooManyBytes(bytes.count, options) }
        let json = try JSONReader.read(bytes, report: &report)
        let document = try document(from: json, options: options, report: &report)
        return try read(document, options: options, report: &report)
    }

    private static func tooManyBytes(_ count: Int, _ options: Options) -> AHAPError {
        AHAPError(
            code: .invalidPatternData, rule: .tooLarge, place: nil,
            message: "\(count) bytes are more than the \(options.mostBytes) that are read",
            advice: "shorten the file, or split it into several")
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

extension [Diagnostic] {
    /// By line and column, those of one place in the order of finding; those without place first.
    var inFileOrder: [Diagnostic] {
        sorted {
            ($0.place?.line ?? 0, $0.place?.column ?? 0)
                < ($1.place?.line ?? 0, $1.place?.column ?? 0)
        }
    }
}
