// Proof: the extent of a test run.

import Foundation

/// The extent of a test run (`Tests/README.md`).
public enum Proof {
    /// True if `BRIDGE_PROOF` is set. The complete proof includes long tests, and slow tests that
    /// repeat the checks of faster tests.
    public static let isComplete =
        ProcessInfo.processInfo.environment["BRIDGE_PROOF"]?.isEmpty == false

    /// Returns all seeds, points or parts of a long test in the complete proof, and every n-th of
    /// them in other runs.
    public static func thinned<Number: Strideable>(
        _ range: Range<Number>, every step: Number.Stride
    ) -> [Number] {
        Array(stride(from: range.lowerBound, to: range.upperBound, by: isComplete ? 1 : step))
    }
}
