// Waiting until something holds.

import Foundation

/// Waits until a condition holds. Returns false if it does not hold within `seconds`; the default
/// is ample even for a slow machine.
public func wait(seconds: Double = 60, until condition: () -> Bool) -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    while !condition() {
        guard Date() < deadline else { return false }
        usleep(5_000)
    }
    return true
}
