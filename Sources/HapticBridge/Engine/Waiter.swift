// Waiter: a caller that waits for a start or an end.

import BridgeLink
import Foundation
import Logging

/// A caller that waits for a start or an end. It is notified once, on any thread, under the
/// engine's lock.
struct Waiter: Sendable {
    let number: Int
    /// The wait for the board that the waiter's start is to end; nil if the app requested the
    /// start.
    let absence: Int?
    let tell: @Sendable ((any Error)?) -> Void
}
