// The least time between two clicks that an actuator parts.

import Foundation
import HapticCompiler
import HapticPatterns

extension HapticEngine {
    /// The least time between two clicks that are felt apart, in seconds, of the actuator for which
    /// the engine was last started, or of a coin LRA before that. It is that in which the actuator
    /// comes to rest and rises again, and at least 30 ms.
    public var clickInterval: TimeInterval { core.state.withLock { $0.profile.clickInterval } }
}

extension EngineCore {
    /// The least time between two clicks that are felt apart, in microseconds.
    var clickSpacing: Microseconds { state.withLock { $0.profile.clickSpacing } }
}

extension DeviceProfile {
    /// The least time between two clicks that are felt apart, in microseconds.
    fileprivate var clickSpacing: Microseconds {
        max(ClickLimiter.leastSpacing, plant?.tapSpacing ?? 0)
    }

    /// The least time between two clicks that are felt apart, in seconds.
    var clickInterval: TimeInterval { Double(clickSpacing) / 1e6 }
}
