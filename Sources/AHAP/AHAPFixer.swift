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
        let pattern = try AHAPReader.read(bytes, options: options).pattern
        var result = Result(bytes: bytes, fixed: [])
        for _ in 0..<passesMax {
            let remarks = try AHAPReader.read(result.bytes, options: options).diagnostics
                .filter { $0.fix != nil }
            if remarks.isEmpty { return try verified(result, as: pattern, options) }
            try apply(remarks, to: &result, &options)
        }
        return try verified(result, as: pattern, options)
    }

    /// What one change uncovers or stands in the way of is left to the next pass.
    private static let passesMax = 32

    private static func apply(
        _ remarks: [Diagnostic], to result: inout Result, _ options: inout AHAPReader.Options
    ) throws(AHAPError) {
        // First what is no JSON, then the rest, of which the times of curves come last.
        let words = remarks.filter { if case .removeBytes = $0.fix { true } else { false } }
        let times = remarks.filter { $0.fix == .relativeTimes }
        let others = remarks.filter { !words.contains($0) && $0.fix != .relativeTimes }
        let chosen = [words, others, times].first { !$0.isEmpty } ?? []
        let changes = TextChanges(try JSONSpans(result.bytes))
        let (bytes, applied) = changes.applied(chosen, to: result.bytes)
        result.bytes = bytes
        result.fixed += applied
        if chosen.first?.fix == .relativeTimes { options.curveTimes = .relative }
    }

    private static func verified(
        _ result: Result, as pattern: HapticPattern, _ options: AHAPReader.Options
    ) throws(AHAPError) -> Result {
        var strict = AHAPReader.Options(strict: true)
        // Automatic, as others will read it, unless the caller said otherwise.
        strict.curveTimes = options.curveTimes
        let again = try AHAPReader.read(result.bytes, options: strict)
        guard again.pattern == pattern else {
            throw AHAPError(
                code: .invalidPatternData, rule: .malformedJSON, place: nil,
                message: "the repaired text would mean something else",
                advice: "repair the file by hand; `bridge lint` says where")
        }
        return result
    }
}
