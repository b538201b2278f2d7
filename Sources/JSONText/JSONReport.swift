// JSONReport: collects the diagnostics of a text while it is being read.

/// Collects the diagnostics of a text while it is being read. In strict mode, repairs become
/// errors.
package struct JSONReport {
    /// True if a repair is an error.
    let isStrict: Bool
    /// The diagnostics that have been collected, in the order of the text.
    package private(set) var diagnostics: [JSONDiagnostic] = []

    /// The maximum number of diagnostics for a text. When this number is reached, further notes are
    /// discarded, and a further repair is an error.
    package static let most = 100_000

    package init(isStrict: Bool) { self.isStrict = isStrict }

    /// Adds a note on valid text that the author should be aware of.
    mutating func note(
        _ rule: JSONDiagnostic.Rule, at location: SourceLocation,
        _ message: @autoclosure () -> String, advice: @autoclosure () -> String
    ) {
        guard diagnostics.count < Self.most else { return }
        diagnostics.append(
            JSONDiagnostic(rule: rule, location: location, message: message(), advice: advice()))
    }

    /// Adds a repair that skips bytes. In strict mode, throws the repair as an error instead.
    mutating func repair(
        _ rule: JSONDiagnostic.Rule, at location: SourceLocation, _ message: String,
        advice: String, skipping bytes: Range<Int>
    ) throws(JSONError) {
        if isStrict {
            throw JSONError(rule: rule, location: location, message: message, advice: advice)
        }
        guard diagnostics.count < Self.most else {
            throw JSONError(
                rule: .tooLarge, location: location,
                message:
                    "more than \(Self.most) diagnostics; this repair exceeds the limit",
                advice: "export the file again with a program that writes JSON")
        }
        diagnostics.append(
            JSONDiagnostic(
                rule: rule, location: location, message: message, advice: advice,
                skippedBytes: bytes))
    }

    /// Sets the range of bytes that the last repair skips. The end of this range is known only
    /// after the repair has been added.
    mutating func setSkippedBytesOfLastRepair(_ bytes: Range<Int>) {
        diagnostics[diagnostics.count - 1].skippedBytes = bytes
    }
}
