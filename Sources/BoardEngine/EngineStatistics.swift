// EngineStatistics: the statistics of an engine.

import BridgeLink
import Foundation

/// The statistics of an engine since its board was connected or reset.
public struct EngineStatistics: Hashable, Sendable, Codable {
    /// The maximum possible lateness of the latest change of the output: the delay of the change on
    /// the board, plus ``clockBound``. The lateness does not include the rise time of the actuator.
    /// The value is nil until something has played.
    ///
    /// During playback, the board writes each level at most 1 ms late, or counts the level in
    /// ``lateEvents``.
    public package(set) var onsetError: Duration?
    /// The maximum possible error of the engine's estimate of the board's clock; nil until the
    /// clocks have been compared.
    public package(set) var clockBound: Duration?
    /// The bytes and frames of the link, including frames that were damaged or sent again.
    public package(set) var link = LinkStatistics()
    /// The number of damaged frames that the board has received.
    public package(set) var damagedFramesAtBoard = 0
    /// The number of levels that the board wrote more than 1 ms late.
    public package(set) var lateEvents = 0
    /// The number of taps that the board skipped because they would have been too late.
    public package(set) var skippedTaps = 0
    /// The number of times the board ran out of events before the end of a pattern.
    public package(set) var underruns = 0
    /// The number of failed transfers to a chip.
    public package(set) var busErrors = 0
    /// The number of faults that the board has counted.
    public package(set) var faultCount = 0
    /// The faults that the board has latched, including earlier faults.
    public package(set) var faults: Faults = []

    /// The lateness of the engine's players on this computer's clock since the engine was last
    /// idle; nil until something has played.
    package var timing: StreamTiming?
    /// The counters that the board last reported; nil until the first report.
    package var status: Status?
    /// The number of times the board has reported its counters.
    package var statusCount = 0

    private enum CodingKeys: String, CodingKey {
        case onsetError, clockBound, link, damagedFramesAtBoard, lateEvents, skippedTaps, underruns
        case busErrors, faultCount, faults
    }

    package init() {}
}
