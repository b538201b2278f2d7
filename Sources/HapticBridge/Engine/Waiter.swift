// Waiter: someone who waits for a start or an end.

import BridgeLink
import Foundation
import Logging

/// A caller that waits for a start or an end. It is notified once, on any thread and under the
/// engine's lock.
struct Waiter: Sendable {
    let number: Int
    /// The absence of the board that the waiter's start is to end; nil if the app asked for the
    /// start.
    let absence: Int?
    let tell: @Sendable ((any Error)?) -> Void
}
