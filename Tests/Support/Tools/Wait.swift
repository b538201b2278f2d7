// Functions that wait for a condition or for a time.

import BridgeLink
import SerialPorts

/// Waits until a condition is true. Returns false if the condition is not true within `seconds`.
/// The default timeout is sufficient even on a slow computer. In a test in virtual time, the
/// timeout is also virtual.
public func wait(seconds: Double = 60, until condition: () -> Bool) -> Bool {
    let deadline = Link.now() + Microseconds(seconds * 1_000_000)
    while !condition() {
        guard Link.now() < deadline else { return false }
        hostClock.sleep(for: 5_000)
    }
    return true
}

/// Waits for a number of microseconds: of virtual time if the test uses virtual time, and of real
/// time otherwise.
public func pause(_ time: Microseconds) { hostClock.sleep(for: time) }
