// Violation: a guarantee that was broken.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A guarantee that was broken.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    public var time: Microseconds
    public var what: String

    public var description: String { "\(time) us: \(what)" }
}
