// Waiter: a caller that waits for a start or an end.

import BridgeLink
import Foundation
import Logging

/// A caller that waits for a start or an end. The caller is notified once, on any thread, while the
/// engine's lock is held.
struct Waiter: Sendable {
    let number: Int
    /// The number of the wait for a missing board, which ends when the engine has started; nil if
    /// the app requested the start.
    let absence: Int?
    let notify: @Sendable ((any Error)?) -> Void
}
