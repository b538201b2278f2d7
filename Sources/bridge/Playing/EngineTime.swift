// EngineTime: converts times to and from seconds.

import BridgeLink
import Foundation

extension HostTime {
    /// The time in seconds on the clock of engines.
    var seconds: TimeInterval { microseconds.seconds }
}

extension Microseconds {
    /// The time in seconds.
    var seconds: TimeInterval { TimeInterval(self) / 1_000_000 }

    /// Creates a time from seconds, rounded to the nearest microsecond.
    init(seconds: TimeInterval) { self = Microseconds((seconds * 1_000_000).rounded()) }
}
