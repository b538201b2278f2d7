// Outcome: how a tool that was run has ended.

import Foundation

/// The result of a finished program.
public struct Outcome {
    public let status: Int32
    /// True if the program was ended by a signal, not by an exit.
    public let wasKilled: Bool
    public let output: String
    public let errors: String
    /// Returns whether the program was ended by a certain signal.
    public func wasEnded(by signal: Int32) -> Bool { wasKilled && status == signal }
    /// The lines of the output, each as a JSON object.
    public var objects: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}
