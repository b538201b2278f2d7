// Statistics of an engine.

import BoardEngine
import BridgeLink
import Foundation

extension HapticEngine {
    /// The statistics of an engine since its board was last connected or reset.
    public typealias Statistics = EngineStatistics

    /// The statistics that the board last reported. The board reports several times per second
    /// while something plays. The statistics of the last run remain available until the next run.
    public var statistics: Statistics { state.withLock { $0.statistics } }
}
