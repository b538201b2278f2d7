// What a session sends and when: the output side of the link, and its deadlines.

import CBridgeProtocol

extension LinkSession {
    /// Does what is due at `now`. To be called at `nextDeadline` or at any other time.
    public mutating func poll(at now: Microseconds) {
        switch phase {
        case .connecting: pollConnecting(at: now)
        case .open: pollOpen(at: now)
        case .ended: break
        }
    }

    /// The next frames for the wire, whole and together at most `limit` bytes, taken at `now`.
    ///
    /// Frames are made when there is room for them, so that STOP never waits behind what is not on
    /// the wire yet. A `limit` above `FRAME_MAX` always lets the next frame through. To be called
    /// after every `poll`, `receive` and request.
    public mutating func takeOutput(limit: Int, at now: Microseconds) -> [UInt8] {
        var output: [UInt8] = []
        isOutputWaiting = false
        while true {
            switch nextFrame(limit: limit - output.count, at: now) {
            case .frame(let frame):
                let bytes = wire(frame)
                output += bytes
                statistics.bytesSent += bytes.count
                unheardSince = unheardSince ?? now
            case .tooLong:
                isOutputWaiting = true
                return output
            case .nothing: return output
            }
        }
    }

    /// HELLO and urgent frames lead with a delimiter: whatever the line did to what came before,
    /// they are frames of their own (SPEC 2).
    private func wire(_ frame: Frame) -> [UInt8] {
        let isAlone = frame.type.isConnect || frame.type.isUrgent
        return (isAlone ? [UInt8(BRIDGE_DELIMITER)] : []) + encoder.encode(frame)
    }

    /// When `poll` or `takeOutput` will next have something to do by itself, host time; nil: never.
    public var nextDeadline: Microseconds? {
        switch phase {
        case .connecting: min(nextHelloAt, startedAt + timing.connectTimeout)
        case .open:
            [
                urgent.deadline, queries.deadline(timeout: roundTrip.timeout),
                window.deadline(timeout: roundTrip.timeout),
                unheardSince.map { $0 + timing.silenceLimit },
                timing.clock.map { _ in nextClockAt },
                mustKeepAlive ? nextKeepAliveAt : nil,
            ].compactMap { $0 }.min()
        case .ended: nil
        }
    }

    // MARK: Connecting (SPEC 3)

    private mutating func pollConnecting(at now: Microseconds) {
        guard now >= startedAt + timing.connectTimeout else { return }
        end(
            .noAnswer(
                ConnectFailure(
                    waited: now - startedAt,
                    bytesHeard: statistics.bytesReceived, damagedFrames: decoder.damagedFrames,
                    heardNoSession: heardNoSession)))
    }

    private mutating func helloFrame(limit: Int, at now: Microseconds) -> SendStep {
        guard now >= nextHelloAt else { return .nothing }
        let frame = Frame(.hello(Hello(versions: versions, session: sessionID)))
        guard frame.wireSize + 1 <= limit else { return .tooLong }
        nextHelloAt = now + timing.helloInterval
        return .frame(frame)
    }

    // MARK: Open (SPEC 4)

    private mutating func pollOpen(at now: Microseconds) {
        if let since = unheardSince, now - since >= timing.silenceLimit {
            return end(.silent(now - since))
        }
        if window.goBackIfOverdue(timeout: roundTrip.timeout, at: now) {
            roundTrip.doubleTimeout()
            statistics.timeouts += 1
        }
        for query in queries.expire(timeout: roundTrip.timeout, at: now) {
            query.request.map { events.append(.unanswered($0)) }
        }
        askRegularly(at: now)
    }

    private mutating func askRegularly(at now: Microseconds) {
        if !mustKeepAlive {
            nextKeepAliveAt = now + timing.keepAliveInterval
        } else if now >= nextKeepAliveAt {
            nextKeepAliveAt = now + timing.keepAliveInterval
            if !queries.isPending(.getStatus) { queries.append(.status, request: nil) }
        }
        if let schedule = timing.clock, now >= nextClockAt {
            clockCount += 1
            nextClockAt = now + schedule.interval(after: clockCount)
            if !queries.isPending(.clock) { queries.append(.clock, request: nil) }
        }
    }

    /// The most urgent frame: HELLO, then urgent messages, queries, and sequenced messages.
    private mutating func nextFrame(limit: Int, at now: Microseconds) -> SendStep {
        switch phase {
        case .connecting: return helloFrame(limit: limit, at: now)
        case .open: break
        case .ended: return .nothing
        }
        let first = urgent.nextFrame(limit: limit - 1, every: timing.urgentInterval, at: now)
        guard case .nothing = first else { return first }
        let second = queries.nextFrame(limit: limit, urgentCount: urgent.unansweredCount, at: now)
        guard case .nothing = second else { return second }
        return window.nextFrame(limit: limit, at: now)
    }
}
