// SaveResult: the result of a save of a watched file, as text and as JSON (schema bridge.save/1).

import HapticPatterns
import JSONText
import ToolSupport

/// The result of a save of a watched file.
struct SaveResult {
    let file: String
    let board: String
    /// The time of the first change within the pattern, in microseconds; nil if the pattern has not
    /// changed.
    var changedAt: Microseconds?
    /// The position from which the pattern plays, in microseconds; nil if the file is invalid.
    var start: Microseconds?
    var length: Microseconds?
    var repairs: Int?
    /// The reason why nothing is felt; nil if haptics are felt.
    var unfelt: Unfelt?
    /// The error in an invalid file; nil if the pattern plays.
    var refusal: ToolError?

    var text: String {
        let change = changedAt.map { "changed at \($0.secondsText), " } ?? ""
        let reason = unfelt.map { "; nothing is felt: \($0.text)" } ?? ""
        return "\(file): \(change)plays from \((start ?? 0).secondsText)\(reason)"
    }

    var json: JSONValue {
        [
            "schema": "bridge.save/1",
            "file": .string(file),
            "board": .string(board),
            "outcome": refusal == nil ? "playing" : "refused",
            "changed_us": .number(changedAt),
            "from_us": .number(start),
            "duration_us": .number(length),
            "repairs": .number(repairs),
            "unfelt": .string(unfelt?.word),
            "error": .string(refusal?.message),
            "line": .number(refusal?.diagnostic?.location?.line),
            "column": .number(refusal?.diagnostic?.location?.column),
        ]
    }
}
