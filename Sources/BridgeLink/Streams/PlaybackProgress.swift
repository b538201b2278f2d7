// PlaybackProgress: the progress of a playback and the problems that occurred.

import CBridgeProtocol

/// The progress of a playback and the problems that occurred. All counters start at 0 when the
/// playback begins.
public struct PlaybackProgress: Hashable, Sendable {
    /// The state of the stream that the device last reported.
    public var state: StreamState = .closed
    /// The tick of the event that was executed last.
    public var position: UInt32 = 0
    /// The device time of tick 0 in microseconds; nil before the stream has started.
    public var startTime: UInt32?
    /// The number of event bytes that have been passed to the session for sending.
    public var bytesSent = 0
    /// The number of event bytes in the whole stream.
    public var bytesTotal = 0

    /// The number of times the device ran out of events.
    public var underruns = 0
    /// The number of writes that were later than `LATE_US`.
    public var lateEvents = 0
    /// The number of taps that were skipped because the taps were late.
    public var skippedTaps = 0
    /// The maximum lateness of a write in microseconds; nil if unknown. A device reports the
    /// maximum since its start, so the maximum belongs to this playback only if it has increased
    /// during the playback.
    public var latest: UInt32?
    /// An upper bound for the lateness of all writes, in microseconds.
    public var latestAtMost: UInt32 = 0
    /// The lateness of the ticks relative to the host's clock; nil until the lateness is known.
    public var timing: StreamTiming?
    /// The faults that have occurred since the playback began. Faults that were latched earlier are
    /// cleared when the playback begins.
    public var faults: Faults = []

    /// Creates the progress of a new playback.
    package init() {}

    /// True if all events were played on time.
    public var isClean: Bool {
        underruns == 0 && lateEvents == 0 && skippedTaps == 0 && faults.isEmpty
    }

    /// Stores the differences between the counters of `status` and those of `baseline`. If the
    /// number of faults has increased although no new fault is latched, a fault has occurred again,
    /// and all latched faults are included.
    package mutating func record(_ status: Status, since baseline: Status) {
        underruns = Int(status.underruns &- baseline.underruns)
        lateEvents = Int(status.lateEvents &- baseline.lateEvents)
        skippedTaps = Int(status.skippedTaps &- baseline.skippedTaps)
        let hasGrown = status.latest > baseline.latest
        latest = hasGrown || baseline.latest == 0 ? status.latest : nil
        latestAtMost =
            lateEvents > 0 ? status.latest : min(status.latest, UInt32(BRIDGE_LATE_US))
        let unseen = status.faults.subtracting(baseline.faults)
        let hasRecurred = unseen.isEmpty && status.faultTotal != baseline.faultTotal
        faults = hasRecurred ? status.faults : unseen
    }

    mutating func record(_ stream: StreamStatus) {
        state = stream.state
        position = stream.position
        let hasStarted = stream.state != .closed && stream.state != .open
        startTime = hasStarted ? stream.startTime : startTime
    }
}
