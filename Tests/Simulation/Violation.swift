// Violation: something that must not happen and did.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// A promise that was broken.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    public var time: Microseconds
    public var what: String

    public var description: String { "\(time) us: \(what)" }
}
