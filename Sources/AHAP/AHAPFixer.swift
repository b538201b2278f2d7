// AHAPFixer: applies repairs to the text of a file, so that the new text has the same meaning and
// needs no repair.

import HapticPatterns
import JSONText

/// Repairs the text of AHAP files.
public enum AHAPFixer {
    /// A repaired text.
    public struct Result: Sendable {
        /// The repaired text, or the given bytes if nothing had to be repaired.
        public var bytes: [UInt8]
        /// The diagnostics that are gone.
        public var fixed: [Diagnostic]
        /// The diagnostics of the given bytes whose repair has removed a comment, a member or an object.
        public var removed: [Diagnostic] = []
    }

    /// Changes the text only in places where it does not comply with AHAP or JSON.
    ///
    /// The result has the same meaning: its pattern is compared with the original one. It can be read without
    /// repairs, but for names of which another one is probably meant, which are the author's to mend.
    ///
    /// - Throws: ``AHAPError`` if the file is refused, or cannot be repaired in this way.
    public static func fix(
        _ bytes: [UInt8], options: AHAPReader.Options = .init()
    ) throws(AHAPError) -> Result {
        var options = options
        options.strict = false
        var file = try AHAPReader.read(bytes, options: options)
        let pattern = file.pattern
        var result = Result(bytes: bytes, fixed: [], removed: file.diagnostics.filter(\.removes))
        for _ in 0..<passesMax {
            let diagnostics = file.diagnostics.filter { $0.fix != nil }
            if diagnostics.isEmpty { break }
            try apply(diagnostics, to: &result, &options)
            file = try AHAPReader.read(result.bytes, options: options)
        }
        try verify(file, means: pattern)
        return result
    }

    /// The maximum number of passes. A diagnostic that is revealed or blocked by a change is
    /// handled in the next pass.
    private static let passesMax = 32

    private static func apply(
        _ diagnostics: [Diagnostic], to result: inout Result, _ options: inout AHAPReader.Options
    ) throws(AHAPError) {
        // First remove everything that is not JSON, then make the other changes. The times of
        // curves come last.
        let words = diagnostics.filter(\.isOfWords)
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
                message: "the repaired text would have another meaning",
                advice: "repair the file by hand; `bridge lint` says where")
        }
    }
}

extension Diagnostic {
    /// True if the fix removes bytes that are not JSON.
    fileprivate var isOfWords: Bool { if case .removeBytes = fix { true } else { false } }

    /// True if the fix removes something that somebody has written on purpose.
    fileprivate var removes: Bool {
        rule == .comment || fix == .removeMember || fix == .removeOwner
    }
}
