// Violation: a report of a guarantee that was broken.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A guarantee that was broken.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    var time: Microseconds
    var what: String

    var description: String { "\(time) us: \(what)" }
}
