// Figures of how an engine plays.

import BridgeLink

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HapticEngine {
    /// Figures of how an engine plays, since its board was connected to or reset. Times are in seconds.
    public struct Statistics: Hashable, Sendable {
        /// The greatest lateness that the newest change can have had, without the rise of the actuator:
        /// the time by which the board began it late, and ``clockBound``. nil before anything has
        /// played.
        ///
        /// Within what it plays the board writes each level at most 1 ms late, or counts it in
        /// ``lateEvents``.
        public internal(set) var onsetError: TimeInterval?
        /// The greatest error that the engine's estimate of the board's clock can have; nil before the
        /// clocks were compared.
        public internal(set) var clockBound: TimeInterval?
        /// Bytes and frames of the link: among them those that were damaged or sent again.
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
        /// Faults that the board has latched, earlier ones among them.
        public internal(set) var faults: Faults = []
    }

    /// The figures that the board told last, which it does several times a second while something
    /// plays. Those of the last run stay until the next one.
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
