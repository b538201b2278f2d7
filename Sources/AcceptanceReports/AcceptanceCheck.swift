// AcceptanceCheck: the result of one check of an acceptance test.

import JSONText

/// The result of one check of an acceptance test: a figure with its bounds, or an observation.
public struct AcceptanceCheck: Equatable, Sendable {
    /// The verdict on a check. The cases are in order from the best to the worst.
    public enum Verdict: String, Comparable, CaseIterable, CustomStringConvertible, Sendable {
        case passed
        /// The check was not carried out, for a reason that is not a defect of the board.
        case skipped
        /// The step ended before it reached the check.
        case interrupted
        case failed

        public var description: String { rawValue }

        public static func < (one: Self, other: Self) -> Bool {
            allCases.firstIndex(of: one)! < allCases.firstIndex(of: other)!
        }
    }

    /// The name of the checked part or quantity.
    package var name: String
    package var verdict: Verdict
    /// The measured value; nil for an observation.
    package var value: Double?
    /// The unit of `value`, `least` and `most`.
    package var unit: String?
    /// The least value that passes the check; nil if there is no lower bound.
    package var least: Double?
    /// The greatest value that passes the check; nil if there is no upper bound.
    package var most: Double?
    /// The observation or, for a failed check, the cause of the failure.
    package var note: String?
    /// The actions that remedy a failure, one sentence each.
    package var advice: [String]
    /// The exit status that a failure causes.
    package var status: Int32?

    package init(
        name: String, verdict: Verdict, value: Double? = nil, unit: String? = nil,
        least: Double? = nil, most: Double? = nil, note: String? = nil, advice: [String] = [],
        status: Int32? = nil
    ) {
        (self.name, self.verdict, self.value, self.unit) = (name, verdict, value, unit)
        (self.least, self.most, self.note) = (least, most, note)
        (self.advice, self.status) = (advice, status)
    }

    /// True if the value is within its bounds; nil if there is no value or no bound.
    package var isWithinBounds: Bool? {
        guard let value, least != nil || most != nil else { return nil }
        return value >= least ?? value && value <= most ?? value
    }

    /// The lines of the check in the text of the report: verdict, name, figure, bounds, cause and
    /// advice.
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

    var bounds: String? {
        switch (least.map(Self.text), most.map(Self.text)) {
        case (let least?, let most?): "\(least) to \(most)"
        case (let least?, nil): "at least \(least)"
        case (nil, let most?): "at most \(most)"
        case (nil, nil): nil
        }
    }

    static func text(_ value: Double) -> String {
        guard value.magnitude < 1e12 else { return "out of range" }
        return value == value.rounded() ? value.text(decimals: 0) : value.text(decimals: 2)
    }
}
