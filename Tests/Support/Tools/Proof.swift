// Proof: how much of the proof a run of the tests holds.

import Foundation

/// The layer in which the tests run (`Tests/README.md`).
public enum Proof {
    /// True if this is the complete proof, for which `BRIDGE_PROOF` is set: it includes the tests that take
    /// long, and those that repeat what quicker ones prove.
    public static let isComplete =
        ProcessInfo.processInfo.environment["BRIDGE_PROOF"]?.isEmpty == false

    /// Returns the seeds, points or parts of a long test: all of them in the complete proof, otherwise the
    /// first of each so many.
    public static func thinned<Number: Strideable>(
        _ range: Range<Number>, every step: Number.Stride
    ) -> [Number] {
        Array(stride(from: range.lowerBound, to: range.upperBound, by: isComplete ? 1 : step))
    }
}
