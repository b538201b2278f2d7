// EngineTime: times in the seconds that engines and pages count in.

import BridgeLink
import Foundation

extension HostTime {
    /// The time on the clock of an engine.
    var seconds: TimeInterval { microseconds.seconds }
}

extension Microseconds {
    /// The time in seconds.
    var seconds: TimeInterval { TimeInterval(self) / 1_000_000 }

    /// Makes a time from seconds, to the nearest microsecond.
    init(seconds: TimeInterval) { self = Microseconds((seconds * 1_000_000).rounded()) }
}
