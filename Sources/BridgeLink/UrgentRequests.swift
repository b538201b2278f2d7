// UrgentRequests: STOP and MUTE, repeated until they are answered (SPEC 4.3).

/// Urgent messages that wait for their answer: one STOP, and MUTEs in order.
struct UrgentRequests: Sendable {
    private struct Pending: Sendable {
        let request: RequestID
        let message: Message
        var nextAt: Microseconds?
    }

    private var stop: Pending?
    private var mutes: [Pending] = []
    private var lastStopID: UInt8 = 0
    private var lastMuteID: UInt8 = 0

    /// The STOP that waits for its answer.
    var pendingStop: RequestID? { stop?.request }

    /// Requests that were sent and not answered.
    var unansweredCount: Int {
        (stop?.nextAt == nil ? 0 : 1) + (mutes.first?.nextAt == nil ? 0 : 1)
    }

    mutating func addStop(_ request: RequestID, nextSequence: UInt8, linkTotal: UInt16) {
        lastStopID &+= 1
        let message = Stop(id: lastStopID, nextSequence: nextSequence, linkTotal: linkTotal)
        stop = Pending(request: request, message: .stop(message))
    }

    mutating func addMute(_ request: RequestID, actuators: ActuatorMask, isMuted: Bool) {
        lastMuteID &+= 1
        let message = Mute(id: lastMuteID, actuators: actuators, isMuted: isMuted)
        mutes.append(Pending(request: request, message: .mute(message)))
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
        return stop?.request
    }

    /// The request that MUTED with this id answers; nil for an echo of an earlier copy.
    mutating func muted(id: UInt8) -> RequestID? {
        guard case .mute(let message) = mutes.first?.message, message.id == id else { return nil }
        return mutes.removeFirst().request
    }

    /// The request that a REJECT of this type ends.
    mutating func rejected(_ type: MessageType) -> RequestID? {
        switch type {
        case .mute where !mutes.isEmpty: return mutes.removeFirst().request
        case .stop:
            defer { stop = nil }
            return stop?.request
        default: return nil
        }
    }
}
