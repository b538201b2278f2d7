// PlaybackProgress: how a playback goes, and PlaybackError: how it fails.

import CBridgeProtocol

/// How far a playback is, and the trouble it had. Counters are those since it began.
public struct PlaybackProgress: Hashable, Sendable {
    /// The stream's state as the device last told it.
    public var state: StreamState = .closed
    /// Ticks of the newest executed event.
    public var position: UInt32 = 0
    /// Device microseconds of tick 0, once started.
    public var startTime: UInt32?
    /// Event bytes handed to the link.
    public var bytesSent = 0
    /// Event bytes of the whole stream.
    public var bytesTotal = 0

    /// Times that the device had nothing left to play.
    public var underruns = 0
    /// Writes later than `LATE_US`.
    public var lateEvents = 0
    public var skippedTaps = 0
    /// The greatest lateness of a write in microseconds; nil if it is not known. A device tells the
    /// greatest since its start, which is this playback's if it grew meanwhile.
    public var latest: UInt32?
    /// In microseconds, what no write was later than.
    public var latestAtMost: UInt32 = 0
    /// How exactly ticks meet the host's clock, once that is known.
    public var timing: StreamTiming?
    /// Faults since the playback began; what was latched before is cleared then.
    public var faults: Faults = []

    /// Whether everything was felt when it should be.
    public var isClean: Bool {
        underruns == 0 && lateEvents == 0 && skippedTaps == 0 && faults.isEmpty
    }

    /// Takes the counters of `status`, less those of `baseline`.
    mutating func note(_ status: Status, since baseline: Status) {
        underruns = Int(status.underruns &- baseline.underruns)
        lateEvents = Int(status.lateEvents &- baseline.lateEvents)
        skippedTaps = Int(status.skippedTaps &- baseline.skippedTaps)
        let hasGrown = status.latest > baseline.latest
        latest = hasGrown || baseline.latest == 0 ? status.latest : nil
        latestAtMost =
            lateEvents > 0 ? status.latest : min(status.latest, UInt32(BRIDGE_LATE_US))
        faults = status.faults.subtracting(baseline.faults)
    }

    mutating func note(_ stream: StreamStatus) {
        state = stream.state
        position = stream.position
        let hasStarted = stream.state != .closed && stream.state != .open
        startTime = hasStarted ? stream.startTime : startTime
    }
}

/// Why a playback failed. Whatever the reason, the device brings the actuators to rest.
public enum PlaybackError: Error, Hashable, Sendable {
    /// An actuator cannot play: not configured, in fault, or not there.
    case actuatorNotReady(index: UInt8, state: ActuatorState)
    /// The device did not carry a message out.
    case rejected(Reject)
    /// The device closed the stream: dead-man or an actuator's fault.
    case closedByDevice(Faults)
    /// All event bytes were played, but there was no END among them.
    case endMissing
    /// The device did not answer a question, though the link is alive.
    case unanswered
    /// The session is over.
    case link(LinkEnd)
}

extension PlaybackError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .actuatorNotReady(let index, .unconfigured):
            "actuator \(index) is not configured"
        case .actuatorNotReady(let index, let state): "actuator \(index) cannot play: \(state)"
        case .rejected(let reject): "\(reject)"
        case .closedByDevice(let faults):
            "the board ended the playback" + (faults.isEmpty ? "" : ": \(faults)")
        case .endMissing: "the event stream has no end"
        case .unanswered: "the board does not answer"
        case .link(let end): "\(end)"
        }
    }
}
