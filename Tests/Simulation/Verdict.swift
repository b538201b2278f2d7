// Verdict: the result of a run.

import BridgeLink
import DRV2605
import TestSupport
import VirtualBoard

/// The result of a run.
struct Verdict: Sendable {
    var violations: [Violation]
    /// The number of frames whose damage the CRC did not detect.
    var collisions: Int
    /// The log of the run, which is empty unless the run was traced.
    var log: [String]

    /// Adds the result of another run of the same seed.
    mutating func add(_ other: Verdict) {
        violations += other.violations
        collisions += other.collisions
        log += other.log
    }
}
