// StreamCredits: how many event bytes each open stream may still be sent (SPEC 4.4).

/// The event-memory credit of every stream that this host opened.
struct StreamCredits: Sendable {
    private struct Credit: Sendable {
        var generation: UInt8 = 0
        /// Event bytes of the generation handed over so far, modulo 65,536.
        var total: UInt16 = 0
        /// How far `total` may go; nil until the device has said it.
        var limit: UInt16?
        /// Whether the device has acknowledged OPEN, so that what it says is about this stream.
        var isOpen = false
        /// Whether it was asked to play the generation, and has not said that it is at its end.
        var mayPlay = false
    }

    private var credits: [UInt8: Credit] = [:]

    /// Whether any stream has been asked to play, and has not said that it is at its end.
    var mayPlay: Bool { credits.values.contains { $0.mayPlay } }

    /// Event bytes that `generation` of `stream` may still be sent.
    func available(stream: UInt8, generation: UInt8) -> Int {
        guard let credit = credits[stream], credit.generation == generation,
            let limit = credit.limit
        else { return 0 }
        return Int(limit &- credit.total)
    }

    /// A command was handed to the window.
    mutating func noteSent(_ command: Command) {
        switch command {
        case .open(let open): credits[open.stream] = Credit()
        // Not when it is carried out: another OPEN of the stream may have been sent by then.
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

    /// A command was acknowledged.
    mutating func noteAcknowledged(_ command: Command) {
        if case .open(let open) = command { credits[open.stream]?.isOpen = true }
    }

    /// A command was rejected.
    mutating func noteRejected(_ command: Command) {
        if case .open(let open) = command { credits[open.stream] = nil }
    }

    /// Takes the running total that ACK or STREAM grants. An older one changes nothing.
    mutating func grant(_ grant: Acknowledge.Credit) {
        guard let credit = credits[grant.stream], credit.isOpen,
            credit.generation == grant.generation,
            Int16(bitPattern: grant.eventLimit &- (credit.limit ?? credit.total)) >= 0
        else { return }
        credits[grant.stream]?.limit = grant.eventLimit
    }

    /// Takes the state of a stream.
    mutating func note(_ status: StreamStatus) {
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

    /// STOP closes every stream.
    mutating func closeAll() { credits.removeAll() }
}
