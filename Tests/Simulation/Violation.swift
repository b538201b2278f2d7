// Violation: something that must not happen and did.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A promise that was broken.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    var time: Microseconds
    var what: String

    var description: String { "\(time) us: \(what)" }
}
