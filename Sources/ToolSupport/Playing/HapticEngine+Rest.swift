// HapticEngine+Rest: stops an engine and waits until its actuators are at rest.

import HapticBridge
import SerialPorts

extension HapticEngine {
    /// Stops the engine, and waits until its actuators are at rest.
    package func stopAndWait() {
        let isAtRest = hostClock.makeSemaphore()
        stop { _ in isAtRest.signal() }
        isAtRest.wait()
    }
}
