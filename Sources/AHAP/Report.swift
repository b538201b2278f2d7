// Report: collects the diagnostics of a file while it is read.

import JSONText

/// Collects diagnostics while a file is read. In strict mode, repairs become errors.
struct Report {
    /// True if a repair is an error.
    let isStrict: Bool
    /// True if reading continues after an error, where possible, to find further errors.
    let findsAllErrors: Bool
    /// The diagnostics so far, in the order in which they were found.
    private(set) var diagnostics: [Diagnostic] = []

    /// The maximum number of diagnostics of a file. Further notes are discarded; a further repair
    /// is an error.
    static let most = JSONReport.most

    init(isStrict: Bool, findsAllErrors: Bool = false) {
        self.isStrict = isStrict
        self.findsAllErrors = findsAllErrors
    }

    /// True if reading continued after an error.
    private(set) var hasErrors = false

    /// Records an error if reading continues after errors; otherwise throws it.
    mutating func note(_ error: AHAPError) throws(AHAPError) {
        guard findsAllErrors, error.rule != .tooLarge, diagnostics.count < Self.most else {
            throw error
        }
        diagnostics.append(error.diagnostic)
        hasErrors = true
    }

    /// Adds the findings in the JSON text of the file, which precede all others.
    mutating func add(_ findings: [JSONDiagnostic]) {
        diagnostics += findings.map(Diagnostic.init)
    }

    /// Adds a note on legal content that the author should be aware of.
    mutating func note(
        _ rule: Diagnostic.Rule, at location: SourceLocation?, _ message: @autoclosure () -> String,
        advice: @autoclosure () -> String, fix: Fix? = nil
    ) {
        guard diagnostics.count < Self.most else { return }
        diagnostics.append(
            Diagnostic(
                rule: rule, severity: .note, location: location, message: message(),
                advice: advice(),
                fix: fix))
    }

    /// Adds a repair of invalid content that can still be read. In strict mode, throws it as an
    /// error.
    mutating func repair(
        _ rule: Diagnostic.Rule, _ code: AHAPError.Code, at location: SourceLocation?,
        _ message: String, advice: String, fix: Fix?
    ) throws(AHAPError) {
        if isStrict {
            throw AHAPError(
                code: code, rule: rule, location: location, message: message, advice: advice)
        }
        guard diagnostics.count < Self.most else {
            throw AHAPError(
                code: code, rule: .tooLarge, location: location,
                message:
                    "more than \(Self.most) diagnostics; this repair exceeds the limit",
                advice: "export the file again with a program that writes AHAP")
        }
        diagnostics.append(
            Diagnostic(
                rule: rule, severity: .repair, location: location, message: message, advice: advice,
                fix: fix))
    }
}
