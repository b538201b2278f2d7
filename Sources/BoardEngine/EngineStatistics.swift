// EngineStatistics: the statistics of an engine.

import BridgeLink
import Foundation

/// The statistics of an engine since its board was connected or reset.
public struct EngineStatistics: Hashable, Sendable, Codable {
    /// The greatest possible lateness of the latest change, without the rise time of the
    /// actuator: the time by which the board began the change late, plus ``clockBound``. nil
    /// before anything has played.
    ///
    /// While it plays, the board writes each level at most 1 ms late, or counts it in
    /// ``lateEvents``.
    public package(set) var onsetError: Duration?
    /// The greatest possible error of the engine's estimate of the board's clock; nil before
    /// the clocks have been compared.
    public package(set) var clockBound: Duration?
    /// The bytes and frames of the link, including frames that were damaged or sent again.
    public package(set) var link = LinkStatistics()
    /// The number of frames that arrived damaged at the board.
    public package(set) var damagedFramesAtBoard = 0
    /// The number of levels that the board wrote more than 1 ms late.
    public package(set) var lateEvents = 0
    /// The number of taps that the board left out because they were too late to be felt as
    /// taps.
    public package(set) var skippedTaps = 0
    /// The number of times that the board had nothing left to play in the middle of a pattern.
    public package(set) var underruns = 0
    /// The number of failed transfers to a chip.
    public package(set) var busErrors = 0
    /// The number of faults that the board has counted.
    public package(set) var faultCount = 0
    /// The faults that the board has latched, including earlier ones.
    public package(set) var faults: Faults = []

    /// The board's counters as it last reported them; nil before that.
    package var status: Status?
    /// The number of times that the board has reported its counters.
    package var statusCount = 0

    private enum CodingKeys: String, CodingKey {
        case onsetError, clockBound, link, damagedFramesAtBoard, lateEvents, skippedTaps, underruns
        case busErrors, faultCount, faults
    }

    package init() {}
}
