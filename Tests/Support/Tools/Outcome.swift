// Outcome: the result of a finished program.

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
    /// The JSON objects in the output, one per line.
    public var objects: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}
