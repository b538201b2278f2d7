// Outcome: the result of a tool that has run to its end.

import Foundation

/// The result of a finished program.
public struct Outcome {
    public let status: Int32
    /// True if a signal ended the program.
    public let wasKilled: Bool
    public let output: String
    public let errors: String
    /// Returns true if the given signal ended the program.
    public func wasEnded(by signal: Int32) -> Bool { wasKilled && status == signal }
    /// The lines of the output, each parsed as a JSON object.
    public var objects: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}
