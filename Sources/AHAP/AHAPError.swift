// Why a file was refused, in words for people and in Core Haptics' numbers for programs.

/// A refusal: what is wrong with a file, where, and what to do about it.
public struct AHAPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The codes of `CHHapticErrors.h` that reading a pattern can come to.
    public enum Code: Int, Sendable, CaseIterable {
        /// Not readable as JSON text.
        case invalidPatternData = -4813
        /// JSON, but not a pattern: the root, `Pattern` or one of its entries is wrong.
        case invalidPatternDictionary = -4814
        /// A parameter id that does not exist.
        case invalidParameterType = -4820
        /// An event type that does not exist, or none.
        case invalidEventType = -4821
        /// The time of an event is negative or otherwise impossible.
        case invalidEventTime = -4822
        /// The duration of an event is negative or otherwise impossible.
        case invalidEventDuration = -4823
        /// An `Event` has an entry of the wrong type.
        case badEventEntry = -4830
        /// A parameter, a curve or a point has a wrong entry or value.
        case badParameterEntry = -4831
        /// The time of a parameter, a curve or a point is negative or otherwise impossible.
        case invalidTime = -4840
    }

    /// The nearest error of Core Haptics (domain `com.apple.CoreHaptics`).
    public var code: Code
    /// The name of the rule that was broken: an error's, or a repair's in strict mode.
    public var rule: Diagnostic.Rule
    /// Where; nil for a document that came from no file.
    public var place: SourcePlace?
    /// What was found, in one sentence without a full stop.
    public var message: String
    /// What to do about it, in one sentence without a full stop.
    public var advice: String

    /// `line:column: error: message [rule]`.
    public var description: String {
        let position = place.map { "\($0): " } ?? ""
        return "\(position)error: \(message) [\(rule.rawValue)]"
    }

    /// The same as a diagnostic.
    public var diagnostic: Diagnostic {
        Diagnostic(
            rule: rule, severity: .error, place: place, message: message, advice: advice)
    }
}

/// Collects remarks while a file is read, and turns repairs into refusals in strict mode.
struct Report {
    /// Whether a repair is a refusal.
    let isStrict: Bool
    /// What was remarked so far, in the order of finding.
    private(set) var diagnostics: [Diagnostic] = []

    /// The most remarks on a file. Notes beyond are not kept; repairs beyond refuse the file.
    static let most = 100_000

    init(isStrict: Bool) { self.isStrict = isStrict }

    /// Something legal that is worth knowing.
    mutating func note(
        _ rule: Diagnostic.Rule, at place: SourcePlace?, _ message: @autoclosure () -> String,
        advice: @autoclosure () -> String, fix: Fix? = nil
    ) {
        guard diagnostics.count < Self.most else { return }
        diagnostics.append(
            Diagnostic(
                rule: rule, severity: .note, place: place, message: message(), advice: advice(),
                fix: fix))
    }

    /// Something that was read as if it were right; in strict mode, the refusal of it.
    mutating func repair(
        _ rule: Diagnostic.Rule, _ code: AHAPError.Code, at place: SourcePlace?,
        _ message: String, advice: String, fix: Fix
    ) throws(AHAPError) {
        if isStrict {
            throw AHAPError(
                code: code, rule: rule, place: place, message: message, advice: advice)
        }
        guard diagnostics.count < Self.most else {
            throw AHAPError(
                code: code, rule: .tooLarge, place: place,
                message: "more than \(Self.most) remarks, of which this repair would be the next",
                advice: "write the file anew with a program that writes AHAP")
        }
        diagnostics.append(
            Diagnostic(
                rule: rule, severity: .repair, place: place, message: message, advice: advice,
                fix: fix))
    }

    /// The bytes that the last repair left out, once it is known how far they go.
    mutating func lastRepair(leftOut bytes: Range<Int>) {
        diagnostics[diagnostics.count - 1].fix = .removeBytes(bytes)
    }
}
