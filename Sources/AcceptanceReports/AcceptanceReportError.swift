// AcceptanceReportError: the reason why a report is rejected.

import JSONText

/// The reason why a report is rejected, with its location in the text.
public struct AcceptanceReportError: Error, Equatable, Sendable {
    /// The location in the text; nil if the error concerns a whole step or the whole text.
    public var location: SourceLocation?
    /// The description of the error, which names the member of the report.
    public var message: String
    /// The action that solves the problem.
    public var advice = "use a report as `bridge accept` wrote it, without changes"
}
