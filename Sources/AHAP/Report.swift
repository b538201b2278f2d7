// Report: the diagnostics of a file while it is read.

import JSONText

/// Collects diagnostics while a file is read, and turns repairs into refusals in strict mode.
struct Report {
    /// True if a repair refuses the file.
    let isStrict: Bool
    /// True if reading goes on behind an error, where that is possible, to find the others.
    let findsAllErrors: Bool
    /// The diagnostics so far, in the order of finding.
    private(set) var diagnostics: [Diagnostic] = []

    /// The most diagnostics of a file. Notes beyond are not kept; repairs beyond refuse the file.
    static let most = JSONReport.most

    init(isStrict: Bool, findsAllErrors: Bool = false) {
        self.isStrict = isStrict
        self.findsAllErrors = findsAllErrors
    }

    /// True if an error was found behind which reading went on.
    private(set) var hasErrors = false

    /// Notes an error, where reading goes on behind it; throws it otherwise.
    mutating func note(_ error: AHAPError) throws(AHAPError) {
        guard findsAllErrors, error.rule != .tooLarge, diagnostics.count < Self.most else {
            throw error
        }
        diagnostics.append(error.diagnostic)
        hasErrors = true
    }

    /// Takes the findings in the file's text, which are the first.
    mutating func add(_ findings: [JSONDiagnostic]) {
        diagnostics += findings.map(Diagnostic.init)
    }

    /// Adds a note about something that is legal but worth knowing.
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

    /// Adds a repair, for something wrong that can still be read. In strict mode, throws it as a
    /// refusal.
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
                    "more than \(Self.most) diagnostics, of which this repair would be the next",
                advice: "export the file again with a program that writes AHAP")
        }
        diagnostics.append(
            Diagnostic(
                rule: rule, severity: .repair, location: location, message: message, advice: advice,
                fix: fix))
    }
}
