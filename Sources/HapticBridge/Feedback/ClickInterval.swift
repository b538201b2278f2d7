// The minimum interval between two clicks that an actuator renders distinctly.

import Foundation
import HapticCompiler
import HapticPatterns

extension HapticEngine {
    /// The minimum interval between two distinct clicks, in seconds, for the actuator of the
    /// engine's last start, or for a coin LRA before the first start. The interval is the time that
    /// the actuator takes to come to rest and to reach its strength again, but at least 30 ms.
    public var clickInterval: TimeInterval { core.state.withLock { $0.profile.clickInterval } }
}

extension EngineCore {
    /// The minimum interval between two distinct clicks, in microseconds.
    var clickSpacing: Microseconds { state.withLock { $0.profile.clickSpacing } }
}

extension DeviceProfile {
    /// The minimum interval between two distinct clicks, in microseconds.
    fileprivate var clickSpacing: Microseconds {
        max(ClickLimiter.leastSpacing, plant?.tapSpacing ?? 0)
    }

    /// The minimum interval between two distinct clicks, in seconds.
    var clickInterval: TimeInterval { Double(clickSpacing) / 1e6 }
}
