// AHAPFixer: applies the repairs that diagnostics propose to the text of a file. The repaired text
// has the same meaning and needs no further repair.

import HapticPatterns
import JSONText

/// Repairs the text of AHAP files.
public enum AHAPFixer {
    /// A repaired text.
    public struct Result: Sendable {
        /// The repaired text; the original bytes if no repair was necessary.
        public var bytes: [UInt8]
        /// The diagnostics that the repairs resolved.
        public var fixed: [Diagnostic]
        /// The diagnostics of the original bytes that were resolved by removing a comment, a member
        /// or an object.
        public var removed: [Diagnostic] = []
    }

    /// Repairs the parts of a text that do not comply with AHAP or JSON, and leaves the rest of the
    /// text unchanged.
    ///
    /// The repaired text has the same meaning as the original. To verify that the meaning is the
    /// same, the pattern of the repaired text is compared with the original pattern. The repaired
    /// text can be read without repairs, except for unknown names that are similar to known names.
    /// Only the author can correct these names.
    ///
    /// - Throws: ``AHAPError`` if the file cannot be read or cannot be repaired without changing
    ///   its meaning.
    public static func fix(
        _ bytes: [UInt8], options: AHAPReader.Options = .init()
    ) throws(AHAPError) -> Result {
        var options = options
        options.strict = false
        var file = try AHAPReader.read(bytes, options: options)
        let pattern = file.pattern
        var result = Result(
            bytes: bytes, fixed: [], removed: file.diagnostics.filter { $0.removes })
        for _ in 0..<passesMax {
            let diagnostics = file.diagnostics.filter { $0.fix != nil }
            if diagnostics.isEmpty { break }
            try apply(diagnostics, to: &result, &options)
            file = try AHAPReader.read(result.bytes, options: options)
        }
        try verify(file, means: pattern)
        return result
    }

    /// The maximum number of passes. If a change reveals another diagnostic, or prevents another
    /// change, the next pass handles that diagnostic.
    private static let passesMax = 32

    private static func apply(
        _ diagnostics: [Diagnostic], to result: inout Result, _ options: inout AHAPReader.Options
    ) throws(AHAPError) {
        // The first pass removes bytes that are not JSON. All other changes follow, and the times
        // of curves are changed last.
        let words = diagnostics.filter { $0.isOfWords }
        let others = diagnostics.filter { !$0.isOfWords && $0.fix != .relativeTimes }
        let chosen = [words, others, diagnostics].first { !$0.isEmpty } ?? []
        let changes = TextChanges(try spans(of: result.bytes))
        let (bytes, applied) = changes.applied(chosen, to: result.bytes)
        result.bytes = bytes
        result.fixed += applied
        if chosen.first?.fix == .relativeTimes { options.curveTimes = .relative }
    }

    private static func spans(of bytes: [UInt8]) throws(AHAPError) -> JSONSpans {
        do { return try JSONSpans(bytes) } catch { throw AHAPError(error) }
    }

    private static func verify(
        _ file: AHAPReader.Result, means pattern: HapticPattern
    ) throws(AHAPError) {
        if let left = file.diagnostics.first(where: { $0.severity == .repair && !$0.isForAuthor }) {
            throw AHAPError(
                code: .invalidPatternData, rule: left.rule, location: left.location,
                message: left.message, advice: left.advice)
        }
        guard file.pattern == pattern else {
            throw AHAPError(
                code: .invalidPatternData, rule: .malformedJSON, location: nil,
                message: "the repaired text would have a different meaning",
                advice: "repair the file by hand; `bridge lint` lists the locations")
        }
    }
}

extension Diagnostic {
    /// True if the fix removes bytes that are not JSON.
    fileprivate var isOfWords: Bool { if case .removeBytes = fix { true } else { false } }

    /// True if the fix removes content that the author wrote intentionally.
    fileprivate var removes: Bool {
        rule == .comment || fix == .removeMember || fix == .removeOwner
    }
}
