// AcceptanceCheck: the result of one check of an acceptance test.

import ToolSupport

/// The result of one check of an acceptance test: a figure with its bounds, or an observation.
struct AcceptanceCheck: Codable, Equatable {
    /// The verdict on a check. A later case is worse.
    enum Verdict: String, Codable, Comparable, CaseIterable, CustomStringConvertible {
        case passed
        /// The check was not carried out, for a reason that is no defect of the board.
        case skipped
        /// The step has ended before the check.
        case interrupted
        case failed

        var description: String { rawValue }

        static func < (one: Self, other: Self) -> Bool {
            allCases.firstIndex(of: one)! < allCases.firstIndex(of: other)!
        }
    }

    /// The checked part or quantity.
    var name: String
    var verdict: Verdict
    /// The measured value; nil for an observation.
    var value: Double?
    /// The unit of `value`, `least` and `most`.
    var unit: String?
    /// The least value that passes; nil if there is none.
    var least: Double?
    /// The greatest value that passes; nil if there is none.
    var most: Double?
    /// The observation or, for a failure, its cause.
    var note: String?
    /// The actions that remedy a failure, one sentence each.
    var advice: [String] = []
    /// The exit status that a failure causes.
    var status: Int32?

    static func passed(_ name: String, _ note: String) -> Self {
        Self(name: name, verdict: .passed, note: note)
    }

    static func skipped(_ name: String, _ reason: String) -> Self {
        Self(name: name, verdict: .skipped, note: reason)
    }

    /// The check of a step that Ctrl-C has ended.
    static let interrupted = Self(
        name: "step", verdict: .interrupted, note: "the next call repeats the step")

    static func failed(
        _ name: String, _ status: ExitStatus, _ cause: String, advice: [String] = []
    ) -> Self {
        Self(
            name: name, verdict: .failed, note: cause, advice: advice, status: status.rawValue)
    }

    /// Judges a figure by its bounds.
    ///
    /// - Parameters:
    ///   - cause: the cause of a value outside of the bounds, in one clause.
    ///   - status: the exit status for a value outside of the bounds.
    init(
        _ name: String, _ value: Double, _ unit: String? = nil, least: Double? = nil,
        most: Double? = nil,
        _ status: ExitStatus = .inputOutput, cause: String = "", advice: String...
    ) {
        let isInside = value >= least ?? value && value <= most ?? value
        self.init(
            name: name, verdict: isInside ? .passed : .failed, value: value, unit: unit,
            least: least, most: most)
        guard !isInside else { return }
        note = cause.isEmpty ? nil : cause
        self.advice = advice
        self.status = status.rawValue
    }

    private init(
        name: String, verdict: Verdict, value: Double? = nil, unit: String? = nil,
        least: Double? = nil, most: Double? = nil, note: String? = nil, advice: [String] = [],
        status: Int32? = nil
    ) {
        (self.name, self.verdict, self.value, self.unit) = (name, verdict, value, unit)
        (self.least, self.most, self.note) = (least, most, note)
        (self.advice, self.status) = (advice, status)
    }

    /// The check as lines of the page of text: verdict, name, figure, bounds, cause and advice.
    var lines: [String] {
        var parts = [figure, note].compactMap(\.self)
        if let bounds { parts.insert("(\(bounds))", at: min(1, parts.count)) }
        let mark = verdict.rawValue + String(repeating: " ", count: 12 - verdict.rawValue.count)
        return ["  \(mark)\(name): \(parts.joined(separator: " "))"]
            + advice.map { String(repeating: " ", count: 14) + "→ \($0)" }
    }

    private var figure: String? {
        value.map { ([Self.text($0)] + [unit].compactMap(\.self)).joined(separator: " ") }
    }

    private var bounds: String? {
        switch (least.map(Self.text), most.map(Self.text)) {
        case (let least?, let most?): "\(least) to \(most)"
        case (let least?, nil): "at least \(least)"
        case (nil, let most?): "at most \(most)"
        case (nil, nil): nil
        }
    }

    private static func text(_ value: Double) -> String {
        guard value.magnitude < 1e12 else { return "out of range" }
        return value == value.rounded() ? value.text(decimals: 0) : value.text(decimals: 2)
    }
}
