// JSONReport: the findings in a text while it is read.

/// Collects the findings in a text, and turns repairs into refusals in strict mode.
package struct JSONReport {
    /// True if a repair is a refusal.
    let isStrict: Bool
    /// The findings so far, in the order of the text.
    package private(set) var diagnostics: [JSONDiagnostic] = []

    /// The most findings in a text. Notes beyond are not kept; repairs beyond refuse the text.
    package static let most = 100_000

    package init(isStrict: Bool) { self.isStrict = isStrict }

    /// Reports something legal that is worth knowing.
    mutating func note(
        _ rule: JSONDiagnostic.Rule, at location: SourceLocation,
        _ message: @autoclosure () -> String, advice: @autoclosure () -> String
    ) {
        guard diagnostics.count < Self.most else { return }
        diagnostics.append(
            JSONDiagnostic(rule: rule, location: location, message: message(), advice: advice()))
    }

    /// Reports bytes that are passed over; in strict mode, refuses them.
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
                    "more than \(Self.most) diagnostics, of which this repair would be the next",
                advice: "export the file again with a program that writes JSON")
        }
        diagnostics.append(
            JSONDiagnostic(
                rule: rule, location: location, message: message, advice: advice,
                skippedBytes: bytes))
    }

    /// Sets the bytes of the last repair, once their end is known.
    mutating func setSkippedBytesOfLastRepair(_ bytes: Range<Int>) {
        diagnostics[diagnostics.count - 1].skippedBytes = bytes
    }
}
