// UrgentRequests: STOP and MUTE, repeated until they are answered (SPEC 4.3).

/// Urgent messages that wait for their answer: one STOP, and MUTEs in order, the newest of each set of
/// actuators beside the one that is on its way.
struct UrgentRequests: Sendable {
    private struct Pending: Sendable {
        /// One, and those that it has taken the place of.
        var requests: [RequestID]
        let message: Message
        /// When the next copy is due; nil before the first.
        var nextAt: Microseconds?
        var copies = 0
    }

    private var stop: Pending?
    private var mutes: [Pending] = []
    private var lastStopID: UInt8 = 0
    private var lastMuteID: UInt8 = 0

    /// A device that is there answers one of so many copies.
    static let copiesMax = 50

    /// The STOP that waits for its answer.
    var pendingStop: RequestID? { stop?.requests[0] }

    /// Whether the last copy has had its time, and nothing was answered.
    func isUnanswered(at now: Microseconds) -> Bool {
        [stop, mutes.first].contains { pending in
            pending.map { $0.copies >= Self.copiesMax && ($0.nextAt ?? .max) <= now } ?? false
        }
    }

    /// Requests that were sent and not answered.
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
        let superseded = mutes.filter(isSuperseded).flatMap(\.requests)
        mutes.removeAll(where: isSuperseded)
        mutes.append(Pending(requests: superseded + [request], message: .mute(message)))
    }

    /// The urgent frame whose time has come; STOP first.
    mutating func nextFrame(limit: Int, every interval: Microseconds, at now: Microseconds)
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
        at now: Microseconds
    ) -> SendStep? {
        guard let message = pending?.message, pending?.nextAt ?? now <= now else { return nil }
        let frame = Frame(message)
        guard frame.wireSize <= limit else { return .tooLong }
        pending?.nextAt = now + interval
        pending?.copies += 1
        return .frame(frame)
    }

    /// When the next copy is due.
    var deadline: Microseconds? {
        [stop, mutes.first].compactMap { $0?.nextAt }.min()
    }

    /// The request that STOPPED with this id answers; nil for an echo of an earlier copy.
    mutating func stopped(id: UInt8) -> RequestID? {
        guard case .stop(let message) = stop?.message, message.id == id else { return nil }
        defer { stop = nil }
        return stop?.requests.first
    }

    /// The requests that MUTED with this id answers; none for an echo of an earlier copy.
    mutating func muted(id: UInt8) -> [RequestID] {
        guard case .mute(let message) = mutes.first?.message, message.id == id else { return [] }
        return mutes.removeFirst().requests
    }

    /// The requests that a REJECT of this type ends.
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
