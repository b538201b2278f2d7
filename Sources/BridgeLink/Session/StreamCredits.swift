// StreamCredits: the number of event bytes that may still be sent for each open stream (SPEC 4.4).

/// The event-memory credit of every stream that this host has opened.
struct StreamCredits: Sendable {
    private struct Credit: Sendable {
        var generation: UInt8 = 0
        /// The number of event bytes of this generation that have been sent so far, modulo 65,536.
        var total: UInt16 = 0
        /// The maximum value that the running total `total` may reach; nil until the device has
        /// reported this value.
        var limit: UInt16?
        /// True if the device has acknowledged OPEN, so its reports refer to this stream.
        var isOpen = false
        /// True if the generation has been started and the device has not reported its end.
        var mayPlay = false
    }

    private var credits: [UInt8: Credit] = [:]

    /// True if any stream has been started and the device has not reported its end.
    var mayPlay: Bool { credits.values.contains { $0.mayPlay } }

    /// Returns the number of event bytes that may still be sent for `generation` of `stream`.
    func available(stream: UInt8, generation: UInt8) -> Int {
        guard let credit = credits[stream], credit.generation == generation,
            let limit = credit.limit
        else { return 0 }
        return Int(limit &- credit.total)
    }

    /// Records that a command was passed to the window.
    mutating func recordSent(_ command: Command) {
        switch command {
        case .open(let open): credits[open.stream] = Credit()
        // The credit is removed when CLOSE is queued. It is not removed when CLOSE is carried out,
        // because the stream may have been opened again by then.
        case .close(let stream): credits[stream] = nil
        case .start(let start): credits[start.stream]?.mayPlay = true
        case .events(let events):
            guard credits[events.stream]?.generation == events.generation else { return }
            credits[events.stream]?.total &+= UInt16(events.bytes.count)
        case .revise(let revise):
            guard credits[revise.stream] != nil else { return }
            credits[revise.stream] = Credit(
                generation: revise.generation,
                total: UInt16(revise.bytes.count), limit: nil, isOpen: true, mayPlay: true)
        default: break
        }
    }

    /// Records that a command was acknowledged.
    mutating func recordAcknowledged(_ command: Command) {
        if case .open(let open) = command { credits[open.stream]?.isOpen = true }
    }

    /// Records that a command was rejected.
    mutating func recordRejected(_ command: Command) {
        if case .open(let open) = command { credits[open.stream] = nil }
    }

    /// Adopts the running total that an ACK or a STREAM grants. An outdated total has no effect.
    mutating func grant(_ grant: Acknowledge.Credit) {
        guard let credit = credits[grant.stream], credit.isOpen,
            credit.generation == grant.generation
        else { return }
        // The first grant is adopted without a comparison, because the first grant may exceed
        // 32,767 bytes. Later grants only add the memory that has been freed in the meantime.
        if let limit = credit.limit, Int16(bitPattern: grant.eventLimit &- limit) < 0 { return }
        credits[grant.stream]?.limit = grant.eventLimit
    }

    /// Records the reported state of a stream.
    mutating func record(_ status: StreamStatus) {
        guard credits[status.stream]?.isOpen == true else { return }
        if status.state == .closed {
            credits[status.stream] = nil
        } else {
            if status.state == .ended, status.generation == credits[status.stream]?.generation {
                credits[status.stream]?.mayPlay = false
            }
            grant(
                Acknowledge.Credit(
                    stream: status.stream, generation: status.generation,
                    eventLimit: status.eventLimit))
        }
    }

    /// Removes all streams, because a STOP has closed all streams of the device.
    mutating func closeAll() { credits.removeAll() }
}
