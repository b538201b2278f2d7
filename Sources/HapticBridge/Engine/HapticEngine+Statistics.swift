// Statistics of an engine.

import BoardEngine
import BridgeLink
import Foundation

extension HapticEngine {
    /// The statistics of an engine since its board was connected or reset.
    public typealias Statistics = EngineStatistics

    /// The statistics that the board last reported, which it does several times per second while
    /// something plays. Those of the last run remain until the next one.
    public var statistics: Statistics { state.withLock { $0.statistics } }
}
