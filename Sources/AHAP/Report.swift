// Report: collects diagnostics while a file is being read.

import JSONText

/// Collects diagnostics while a file is being read. In strict mode, repairs become errors.
struct Report {
    /// True if a repair is an error.
    let isStrict: Bool
    /// True if reading continues after an error, where possible, so that further errors are found.
    let findsAllErrors: Bool
    /// The diagnostics that have been collected, in the order in which they were found.
    private(set) var diagnostics: [Diagnostic] = []

    /// The maximum number of diagnostics for a file. When this number is reached, further notes are
    /// discarded, and a further repair is an error.
    static let most = JSONReport.most

    init(isStrict: Bool, findsAllErrors: Bool = false) {
        self.isStrict = isStrict
        self.findsAllErrors = findsAllErrors
    }

    /// True if an error was recorded and reading continued.
    private(set) var hasErrors = false

    /// Records the error if reading continues after errors; otherwise throws the error.
    mutating func record(_ error: AHAPError) throws(AHAPError) {
        guard findsAllErrors, error.rule != .tooLarge, diagnostics.count < Self.most else {
            throw error
        }
        diagnostics.append(error.diagnostic)
        hasErrors = true
    }

    /// Adds the diagnostics of the file's JSON text. These diagnostics precede all other
    /// diagnostics.
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

    /// Adds a diagnostic about invalid content that can be repaired. In strict mode, throws the
    /// diagnostic as an error instead.
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
                    "this repair exceeds the limit of \(Self.most) diagnostics",
                advice: "export the file again with a program that writes AHAP")
        }
        diagnostics.append(
            Diagnostic(
                rule: rule, severity: .repair, location: location, message: message, advice: advice,
                fix: fix))
    }
}
