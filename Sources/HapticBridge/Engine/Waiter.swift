// Waiter: a caller that waits for a start or an end.

import BridgeLink
import Foundation
import Logging

/// A caller that waits for a start or an end. It is notified once, on any thread, under the
/// engine's lock.
struct Waiter: Sendable {
    let number: Int
    /// The number of the wait for a missing board that the waiter's start will end; nil if the app
    /// requested the start.
    let absence: Int?
    let notify: @Sendable ((any Error)?) -> Void
}
