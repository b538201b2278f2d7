// UrgentRequests: STOP and MUTE messages, which are sent again until they are answered (SPEC 4.3).

/// The urgent messages that are waiting for their answers: one STOP, and several MUTEs in order.
/// Apart from the MUTE that has already been sent, only the latest MUTE for each set of actuators
/// is kept.
struct UrgentRequests: Sendable {
    private struct Pending: Sendable {
        /// The latest request and the requests that it has replaced.
        var requests: [RequestID]
        let message: Message
        /// The time at which the next copy is due; nil before the first copy has been sent.
        var nextAt: HostTime?
        var copies = 0
    }

    private var stop: Pending?
    private var mutes: [Pending] = []
    private var lastStopID: UInt8 = 0
    private var lastMuteID: UInt8 = 0

    /// The maximum number of copies. A connected device answers at least one of these copies.
    static let copiesMax = 50

    /// The STOP that is waiting for its answer; nil if no STOP is waiting.
    var pendingStop: RequestID? { stop?.requests[0] }

    /// Returns true if the last copy of a message has been unanswered for too long.
    func isUnanswered(at now: HostTime) -> Bool {
        [stop, mutes.first].contains { pending in
            pending.map { $0.copies >= Self.copiesMax && ($0.nextAt ?? .never) <= now } ?? false
        }
    }

    /// The number of messages that have been sent and not answered.
    var unansweredCount: Int {
        (stop?.nextAt == nil ? 0 : 1) + (mutes.first?.nextAt == nil ? 0 : 1)
    }

    mutating func addStop(_ request: RequestID, nextSequence: UInt8, linkTotal: UInt16) {
        lastStopID &+= 1
        let message = Stop(id: lastStopID, nextSequence: nextSequence, linkTotal: linkTotal)
        stop = Pending(requests: [request], message: .stop(message))
    }

    mutating func addMute(_ request: RequestID, actuators: ActuatorMask, isMuted: Bool) {
        lastMuteID &+= 1
        let message = Mute(id: lastMuteID, actuators: actuators, isMuted: isMuted)
        let isSuperseded = { (pending: Pending) in
            guard case .mute(let earlier) = pending.message else { return false }
            return pending.nextAt == nil && earlier.actuators == actuators
        }
        let superseded = mutes.filter(isSuperseded).flatMap { $0.requests }
        mutes.removeAll(where: isSuperseded)
        mutes.append(Pending(requests: superseded + [request], message: .mute(message)))
    }

    /// Returns the next urgent frame that is due. STOP takes precedence over MUTE.
    mutating func nextFrame(limit: Int, every interval: Microseconds, at now: HostTime)
        -> SendStep
    {
        if let step = Self.step(&stop, limit: limit, every: interval, at: now) { return step }
        guard !mutes.isEmpty else { return .nothing }
        var first: Pending? = mutes[0]
        defer { first.map { mutes[0] = $0 } }
        return Self.step(&first, limit: limit, every: interval, at: now) ?? .nothing
    }

    private static func step(
        _ pending: inout Pending?, limit: Int, every interval: Microseconds,
        at now: HostTime
    ) -> SendStep? {
        guard let message = pending?.message, pending?.nextAt ?? now <= now else { return nil }
        let frame = Frame(message)
        guard frame.wireSize <= limit else { return .tooLong }
        pending?.nextAt = now + interval
        pending?.copies += 1
        return .frame(frame)
    }

    /// The time at which the next copy is due; nil if no message has been sent.
    var deadline: HostTime? {
        [stop, mutes.first].compactMap { $0?.nextAt }.min()
    }

    /// Returns the request that is answered by a STOPPED with the given id; nil if the STOPPED
    /// answers a repeated copy.
    mutating func stopped(id: UInt8) -> RequestID? {
        guard case .stop(let message) = stop?.message, message.id == id else { return nil }
        defer { stop = nil }
        return stop?.requests.first
    }

    /// Returns the requests that are answered by a MUTED with the given id; none if the MUTED
    /// answers a repeated copy.
    mutating func muted(id: UInt8) -> [RequestID] {
        guard case .mute(let message) = mutes.first?.message, message.id == id else { return [] }
        return mutes.removeFirst().requests
    }

    /// Returns the requests that end because a message of the given type was rejected.
    mutating func rejected(_ type: MessageType) -> [RequestID] {
        switch type {
        case .mute where !mutes.isEmpty: return mutes.removeFirst().requests
        case .stop:
            defer { stop = nil }
            return stop?.requests ?? []
        default: return []
        }
    }
}
