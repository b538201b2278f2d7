// Violation: the report of a broken guarantee.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A broken guarantee.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    var time: Microseconds
    var what: String

    var description: String { "\(time) us: \(what)" }
}
