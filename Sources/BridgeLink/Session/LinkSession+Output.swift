// The output side of a session: the frames that the session sends, the times at which it sends
// them, and its deadlines.

import CBridgeProtocol

extension LinkSession {
    /// Performs the actions that are due at `now`. This method must be called at `nextDeadline`,
    /// and may be called at any other time.
    public mutating func poll(at now: HostTime) {
        defer { polledAt = now }
        switch phase {
        case .connecting: pollConnecting(at: now)
        case .open: pollOpen(at: now)
        case .ended: break
        }
    }

    /// Returns the next whole frames to write to the line at the time `now`, at most `limit` bytes
    /// in total.
    ///
    /// A frame is created only when there is room for it, so that STOP never waits for frames that
    /// have not been written to the line. If `limit` is at least `FRAME_MAX`, the next frame always
    /// fits. This method must be called after every `poll`, `receive` and request.
    public mutating func nextOutput(limit: Int, at now: HostTime) -> [UInt8] {
        var output: [UInt8] = []
        isOutputWaiting = false
        defer { recordOutput(output.count, at: now) }
        while true {
            switch nextFrame(limit: limit - output.count, at: now) {
            case .frame(let frame):
                frameObserver?(.sent, frame)
                let bytes = wire(frame)
                if frame.type == .clock {
                    let room = min(limit - output.count - bytes.count, window.room)
                    let delimiters = dither(atMost: room)
                    window.recordPadding(delimiters.count, at: now)
                    output += delimiters
                }
                output += bytes
                if frame.type == .clock {
                    queries.recordClock(
                        arrival: now + lineTime(ofBytes: output.count),
                        departure: window.newestDeparture)
                }
                unansweredSince = unansweredSince ?? now
            case .tooLong:
                isOutputWaiting = true
                return output
            case .nothing: return output
            }
        }
    }

    /// Returns the delimiters (empty frames) to send before every second CLOCK. The delimiters take
    /// at most one USB frame of 1 ms.
    ///
    /// Adapters transfer bytes at the boundaries of USB frames, all queries have the same length,
    /// and all answers have the same length. Without the delimiters, every answer would therefore
    /// wait equally long for a frame boundary, and this constant delay could not be distinguished
    /// from a slow clock. Native USB needs no delimiters, because the computer polls the device
    /// several times per frame.
    private func dither(atMost limit: Int) -> [UInt8] {
        guard !isOnUSB, clockCount % 2 == 0, let frame = bytesPerMillisecond else { return [] }
        let count = min(Int(ClockSchedule.fraction(of: clockCount / 2) * Double(frame + 1)), limit)
        return Array(repeating: UInt8(BRIDGE_DELIMITER), count: max(0, count))
    }

    /// Returns the minimum time for which bytes are on the line, in microseconds. A device whose
    /// clock is fast also sends fast. Full-speed USB transfers 12 bits per microsecond, and adds 13
    /// bytes to each packet of 64 bytes (USB 2.0, table 5-9). A sketch may use USB or a serial line.
    func lineTime(ofBytes count: Int) -> Microseconds {
        if isOnUSB || welcome?.kind.isPolled == true {
            return Microseconds(count) * (64 + 13) * 8 / (64 * 12)
        }
        return Microseconds(count) * timing.byteTime
            * (1_000_000 - Microseconds(ClockSync.drifts.upperBound))
            / 1_000_000
    }

    /// Returns the maximum time for which bytes are on the line, in microseconds. A device whose
    /// clock is slow also sends slowly.
    func longestLineTime(ofBytes count: Int) -> Microseconds {
        if isOnUSB { return lineTime(ofBytes: count) }
        return Microseconds(count) * timing.byteTime
            * (1_000_000 + Microseconds(ClockSync.drifts.upperBound))
            / 1_000_000
    }

    /// Returns the latest time at which a frame of maximum length arrives if it is sent at `now`,
    /// behind the bytes that have already been sent. On USB, the frame may have to wait for the
    /// boundary of a 1 ms USB frame.
    package func arrivalOfFrame(at now: HostTime) -> HostTime {
        let edge: Microseconds = isOnUSB ? 1_000 : 0
        return max(now, lineFreeAt) + edge + longestLineTime(ofBytes: Int(BRIDGE_FRAME_MAX))
    }

    /// Returns the wire bytes of a frame. HELLO and urgent frames begin with a delimiter, which
    /// separates them from preceding bytes that may be damaged (SPEC 2).
    private func wire(_ frame: Frame) -> [UInt8] {
        let isAlone = frame.type.isConnect || frame.type.isUrgent
        return (isAlone ? [UInt8(BRIDGE_DELIMITER)] : []) + encoder.encode(frame)
    }

    /// The host time by which `poll` or `nextOutput` must be called again, even if nothing else
    /// happens; nil if no such call is needed.
    public var nextDeadline: HostTime? {
        switch phase {
        case .connecting: min(nextHelloAt, startedAt + timing.connectTimeout)
        case .open:
            [
                urgent.deadline, queries.deadline(timeout: roundTrip.timeout),
                window.deadline(timeout: roundTrip.timeout),
                unansweredSince.map { $0 + timing.silenceLimit },
                clockDue,
                mustKeepAlive ? nextStatusAt : nil,
            ].compactMap { $0 }.min()
        case .ended: nil
        }
    }

    // MARK: Connecting (SPEC 3)

    private mutating func pollConnecting(at now: HostTime) {
        guard now >= startedAt + timing.connectTimeout else { return }
        end(
            .noAnswer(
                ConnectFailure(
                    waited: now - startedAt,
                    bytesReceived: statistics.bytesReceived, damagedFrames: decoder.damagedFrames,
                    receivedNoSession: receivedNoSession)))
    }

    private mutating func helloFrame(limit: Int, at now: HostTime) -> SendStep {
        guard now >= nextHelloAt else { return .nothing }
        let frame = Frame(.hello(Hello(versions: versions, session: sessionID)))
        guard frame.wireSize + 1 <= limit else { return .tooLong }
        nextHelloAt = now + timing.helloInterval
        return .frame(frame)
    }

    // MARK: Open (SPEC 4)

    private mutating func pollOpen(at now: HostTime) {
        forgetSleep(at: now)
        if let since = unansweredSince, now - since >= timing.silenceLimit {
            return end(.silent(now - since))
        }
        if urgent.isUnanswered(at: now) {
            return end(.silent(timing.urgentInterval * Microseconds(UrgentRequests.copiesMax)))
        }
        if window.isStuck { return end(.silent(now - window.lastTaken)) }
        if window.goBackIfOverdue(timeout: roundTrip.timeout, at: now) {
            roundTrip.doubleTimeout()
            statistics.timeouts += 1
        }
        for query in queries.expire(timeout: roundTrip.timeout, at: now) {
            query.request.map { events.append(.unanswered($0)) }
        }
        askRegularly(at: now)
    }

    /// Excludes the time in which the session was not polled from the time for which the device has
    /// been silent. In that time, the computer was asleep or the process was suspended.
    private mutating func forgetSleep(at now: HostTime) {
        let asleep = now - polledAt - timing.silenceLimit / 2
        if asleep > 0, let since = unansweredSince { unansweredSince = min(since + asleep, now) }
    }

    private mutating func askRegularly(at now: HostTime) {
        let interval = timing.clock == nil ? timing.keepAliveInterval : timing.statusInterval
        if !mustKeepAlive {
            nextStatusAt = now + interval
        } else if now >= nextStatusAt {
            nextStatusAt = now + interval
            if !queries.isPending(.getStatus) { queries.append(.status, request: nil) }
        }
        if let due = clockDue, now >= due {
            if !queries.isPending(.clock) {
                clockCount += 1
                queries.append(.clock, request: nil)
            }
            clockAskedAt = now
        }
    }

    /// The time of the next clock sample. The time becomes earlier when a stream begins to play.
    private var clockDue: HostTime? {
        timing.clock.map {
            ClockSchedule.time(
                of: clockCount,
                from: clockAskedAt + $0.interval(after: clockCount, isPlaying: mustKeepAlive))
        }
    }

    /// Returns the most urgent frame that is due. The order is HELLO, urgent messages, queries, and
    /// sequenced messages.
    private mutating func nextFrame(limit: Int, at now: HostTime) -> SendStep {
        switch phase {
        case .connecting: return helloFrame(limit: limit, at: now)
        case .open: break
        case .ended: return .nothing
        }
        let first = urgent.nextFrame(limit: limit - 1, every: timing.urgentInterval, at: now)
        guard case .nothing = first else { return first }
        let second = nextQuery(limit: limit, at: now)
        guard case .nothing = second else { return second }
        let third = window.nextFrame(limit: limit, at: now)
        guard window.needsProof, !queries.isPending(.clock) else { return third }
        queries.append(.clock, request: nil)
        return nextQuery(limit: limit, at: now)
    }

    private mutating func nextQuery(limit: Int, at now: HostTime) -> SendStep {
        queries.nextFrame(
            limit: limit, urgentCount: urgent.unansweredCount, departure: window.newestDeparture,
            at: now)
    }
}
