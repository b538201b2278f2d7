// Creates the checks of an acceptance test from measured values and observations.

import AcceptanceReports
import ToolSupport

extension AcceptanceCheck {
    static func passed(_ name: String, _ note: String) -> Self {
        Self(name: name, verdict: .passed, note: note)
    }

    static func skipped(_ name: String, _ reason: String) -> Self {
        Self(name: name, verdict: .skipped, note: reason)
    }

    /// The check that is added to a step that Ctrl-C ended.
    static let interrupted = Self(
        name: "step", verdict: .interrupted, note: "the next call repeats the step")

    /// The reason why a check is skipped if a person does not answer a question.
    static let noAnswer = "there was no clear answer"

    static func failed(
        _ name: String, _ status: ExitStatus, _ cause: String, advice: [String] = []
    ) -> Self {
        Self(
            name: name, verdict: .failed, note: cause, advice: advice, status: status.rawValue)
    }

    /// Creates a check that compares a measured value with its bounds.
    ///
    /// - Parameters:
    ///   - cause: the cause of a value outside the bounds, in one clause.
    ///   - status: the exit status for a value outside the bounds.
    init(
        _ name: String, _ value: Double, _ unit: String? = nil, least: Double? = nil,
        most: Double? = nil,
        _ status: ExitStatus = .inputOutput, cause: String = "", advice: String...
    ) {
        self.init(
            name: name, verdict: .passed, value: value, unit: unit, least: least, most: most)
        guard isWithinBounds == false else { return }
        verdict = .failed
        note = cause.isEmpty ? nil : cause
        self.advice = advice
        self.status = status.rawValue
    }
}
