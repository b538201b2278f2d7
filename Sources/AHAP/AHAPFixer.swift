// Repairs written down: the same meaning in a text that needs no repair.

/// Repairs the text of AHAP files.
public enum AHAPFixer {
    /// A repaired text.
    public struct Result: Sendable {
        /// The text; the bytes that were given, where nothing was to be repaired.
        public var bytes: [UInt8]
        /// The remarks that are gone.
        public var fixed: [Diagnostic]
    }

    /// Changes a text where it is not what AHAP and JSON ask for, and nowhere else.
    ///
    /// The result is read without repairs, and means the same: the pattern is compared.
    ///
    /// - Throws: ``AHAPError`` if the file is refused, or cannot be repaired so.
    public static func fix(
        _ bytes: [UInt8], options: AHAPReader.Options = .init()
    ) throws(AHAPError) -> Result {
        var options = options
        options.strict = false
        var file = try AHAPReader.read(bytes, options: options)
        let pattern = file.pattern
        var result = Result(bytes: bytes, fixed: [])
        for _ in 0..<passesMax {
            let remarks = file.diagnostics.filter { $0.fix != nil }
            if remarks.isEmpty { break }
            try apply(remarks, to: &result, &options)
            file = try AHAPReader.read(result.bytes, options: options)
        }
        try verify(file, means: pattern)
        return result
    }

    /// What one change uncovers or stands in the way of is left to the next pass.
    private static let passesMax = 32

    private static func apply(
        _ remarks: [Diagnostic], to result: inout Result, _ options: inout AHAPReader.Options
    ) throws(AHAPError) {
        // First what is no JSON, then the rest, of which the times of curves come last.
        let words = remarks.filter(\.isOfWords)
        let others = remarks.filter { !$0.isOfWords && $0.fix != .relativeTimes }
        let chosen = [words, others, remarks].first { !$0.isEmpty } ?? []
        let changes = TextChanges(try JSONSpans(result.bytes))
        let (bytes, applied) = changes.applied(chosen, to: result.bytes)
        result.bytes = bytes
        result.fixed += applied
        if chosen.first?.fix == .relativeTimes { options.curveTimes = .relative }
    }

    private static func verify(
        _ file: AHAPReader.Result, means pattern: HapticPattern
    ) throws(AHAPError) {
        if let left = file.diagnostics.first(where: { $0.severity == .repair }) {
            throw AHAPError(
                code: .invalidPatternData, rule: left.rule, place: left.place,
                message: left.message, advice: left.advice)
        }
        guard file.pattern == pattern else {
            throw AHAPError(
                code: .invalidPatternData, rule: .malformedJSON, place: nil,
                message: "the repaired text would mean something else",
                advice: "repair the file by hand; `bridge lint` says where")
        }
    }
}

extension Diagnostic {
    /// Whether its repair leaves out what is no JSON.
    fileprivate var isOfWords: Bool { if case .removeBytes = fix { true } else { false } }
}
