// EngineMeter: collects the statistics of a running engine.

import BridgeLink
import Foundation

/// Collects an engine's statistics on its board's thread.
struct EngineMeter {
    private var statistics = EngineStatistics()
    /// The values of the board's counters when the engine started; nil until the values are known.
    private var baseline: Status?
    /// True if the engine was playing at the last update.
    private var wasPlaying = false

    /// Updates the statistics from an event. Returns the reports for the engine.
    mutating func update(
        _ event: LinkEvent, _ session: LinkSession, _ live: LiveStream?, isPlaying: Bool,
        at now: HostTime
    ) -> [EngineReport] {
        let faultCount = statistics.faultCount
        switch event {
        case .status(let status, _): update(status)
        case .clockSampled, .stream: break
        default: return []
        }
        statistics.link = session.statistics
        let bound = session.clock.deviceTime(at: now)?.errorBound
        statistics.clockBound = bound.map { .microseconds($0) }
        if let bound, let live, live.segment?.pacer != nil {
            statistics.onsetError = .microseconds(live.lateness + bound)
        }
        if isPlaying, let timing = live?.segment?.pacer?.timing(session.clock, at: now) {
            if wasPlaying { statistics.timing?.merge(timing) }
            statistics.timing = wasPlaying ? statistics.timing ?? timing : timing
        }
        wasPlaying = isPlaying
        let hasFaults = statistics.faultCount != faultCount
        return [.measured(statistics)] + (hasFaults ? [.faults(statistics.faults)] : [])
    }

    private mutating func update(_ status: Status) {
        let first = baseline ?? status
        baseline = first
        statistics.damagedFramesAtBoard = Int(status.damagedFrames &- first.damagedFrames)
        statistics.lateEvents = Int(status.lateEvents &- first.lateEvents)
        statistics.skippedTaps = Int(status.skippedTaps &- first.skippedTaps)
        statistics.underruns = Int(status.underruns &- first.underruns)
        statistics.busErrors = Int(status.busErrors &- first.busErrors)
        statistics.faultCount = Int(status.faultTotal &- first.faultTotal)
        statistics.faults = status.faults
        statistics.status = status
        statistics.statusCount += 1
    }
}
