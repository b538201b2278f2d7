// How an engine plays, in figures.

import BridgeLink

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HapticEngine {
    /// How an engine plays, since its board was connected to or reset. Times are in seconds.
    public struct Statistics: Hashable, Sendable {
        /// How much later than its time the newest change can have been felt at most, the actuator's
        /// rise apart: what the board began late, and ``clockBound``. nil before anything has played.
        ///
        /// Within what it plays the board writes each level at most 1 ms late, or counts it in
        /// ``lateEvents``.
        public internal(set) var onsetError: TimeInterval?
        /// How far the board's clock can be from what the engine takes it for; nil before they were
        /// compared.
        public internal(set) var clockBound: TimeInterval?
        /// What happened to frames: bytes, damaged ones, and those that were sent again.
        public internal(set) var link = LinkStatistics()
        /// Frames that arrived damaged at the board.
        public internal(set) var damagedFramesAtBoard = 0
        /// Levels that the board wrote more than 1 ms late.
        public internal(set) var lateEvents = 0
        /// Taps that the board left out, as they were too late to be felt as such.
        public internal(set) var skippedTaps = 0
        /// Times that the board had nothing left to play in mid-pattern.
        public internal(set) var underruns = 0
        /// Transfers to a chip that failed.
        public internal(set) var busErrors = 0
        /// Faults that the board has counted.
        public internal(set) var faultCount = 0
        /// Those that it has latched, earlier ones among them.
        public internal(set) var faults: Faults = []
    }

    /// How it plays, as far as was known when the board told last: several times a second while
    /// something plays. What it was at its end while the engine does not run.
    public var statistics: Statistics { state.withLock { $0.statistics } }
}

/// Keeps an engine's statistics on its board's thread.
struct EngineMeter {
    private var statistics = HapticEngine.Statistics()
    /// The board's counters at the beginning.
    private var baseline: Status?

    /// Takes what an event tells. Returns what the engine is to know of it.
    mutating func note(
        _ event: LinkEvent, _ session: LinkSession, _ live: LiveStream?, at now: Microseconds
    ) -> [EngineReport] {
        let faultCount = statistics.faultCount
        switch event {
        case .status(let status, _): note(status)
        case .clockSampled, .stream: break
        default: return []
        }
        statistics.link = session.statistics
        let bound = session.clock.deviceTime(at: now)?.errorBound
        statistics.clockBound = bound?.seconds
        if let bound, let live, live.pacer != nil {
            statistics.onsetError = (live.lateness + bound).seconds
        }
        let hasFaults = statistics.faultCount != faultCount
        return [.measured(statistics)] + (hasFaults ? [.faults(statistics.faults)] : [])
    }

    private mutating func note(_ status: Status) {
        let first = baseline ?? status
        baseline = first
        statistics.damagedFramesAtBoard = Int(status.damagedFrames &- first.damagedFrames)
        statistics.lateEvents = Int(status.lateEvents &- first.lateEvents)
        statistics.skippedTaps = Int(status.skippedTaps &- first.skippedTaps)
        statistics.underruns = Int(status.underruns &- first.underruns)
        statistics.busErrors = Int(status.busErrors &- first.busErrors)
        statistics.faultCount = Int(status.faultTotal &- first.faultTotal)
        statistics.faults = status.faults
    }
}
