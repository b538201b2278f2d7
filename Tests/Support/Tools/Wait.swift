// Waiting until something holds.

import BridgeLink
import SerialPorts

/// Waits until a condition holds. Returns false if it does not hold within `seconds`; the default
/// is ample even for a slow machine. In a test in virtual time, the time is virtual.
public func wait(seconds: Double = 60, until condition: () -> Bool) -> Bool {
    let deadline = Link.now() + Microseconds(seconds * 1_000_000)
    while !condition() {
        guard Link.now() < deadline else { return false }
        hostClock.sleep(for: 5_000)
    }
    return true
}

/// Lets a time pass, in microseconds. In a test in virtual time, the time is virtual.
public func pause(_ time: Microseconds) { hostClock.sleep(for: time) }
