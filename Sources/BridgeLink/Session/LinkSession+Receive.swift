// The input side of a session: a table of the session's reactions to messages, in the order of the
// SPEC.

extension LinkSession {
    /// Processes bytes that arrived at `now`, in portions of any size.
    public mutating func receive(_ bytes: some Collection<UInt8>, at now: HostTime) {
        var bytesBehind = bytes.count
        for byte in bytes where phase != .ended {
            statistics.bytesReceived += 1
            bytesBehind -= 1
            guard let frame = decoder.receive(byte) else { continue }
            let behind = bytesBehind + frame.wireSize
            frameDeparture = now - lineTime(ofBytes: behind)
            receive(frame, at: now)
        }
        statistics.damagedFrames = decoder.damagedFrames
    }

    private mutating func receive(_ frame: Frame, at now: HostTime) {
        frameObserver?(.received, frame)
        // A message that is too short for its type is ignored, like an unknown message (SPEC 4.1).
        guard let message = try? Message(type: frame.type, payload: frame.payload) else { return }
        statistics.framesReceived += 1
        unansweredSince = nil
        transition(message, sequence: frame.sequence, at: now)
    }

    /// Handles a message according to the phase of the session. The device's messages report its
    /// state, so in most cases the session only stores that state.
    private mutating func transition(_ message: Message, sequence: UInt8, at now: HostTime) {
        switch (phase, message) {
        // While the session is connecting, it is opened only by a WELCOME that contains the id of
        // the session (SPEC 3, 4.2).
        case (.connecting, .welcome(let welcome)) where welcome.session == sessionID:
            welcomed(welcome, at: now)
        case (.connecting, .noSession): receivedNoSession = true
        case (.connecting, _): break
        case (.open, .noSession(let loss)):
            end(.sessionLost(cause: loss.resetCause, bootCount: loss.bootCount))
        case (.open, .welcome): break  // the answer to a repeated HELLO

        // Answers to urgent messages (SPEC 4.3)
        case (.open, .stopped(let id)): stopped(id: id)
        case (.open, .muted(let id)): events += urgent.muted(id: id).map { .muted($0) }

        // Answers to sequenced messages (SPEC 4.4)
        case (.open, .acknowledge(let ack)): acknowledged(ack, at: now)
        case (.open, .reject(let reject)): rejected(reject, sequence: sequence)

        // Answers to queries (SPEC 4.5)
        case (.open, .clockReply(let reply)): clockAnswered(reply, tag: sequence, at: now)
        case (.open, .status(let status)):
            isDeviceAwake = status.state.contains(.awake)
            let answer = answer(.getStatus, tag: sequence, at: now)
            clock.recordStamp(status.clock, at: now)
            if answer != nil, pendingResults.isRejectMissing { settle(by: status) }
            events.append(.status(status, answer?.query.request))
        case (.open, .stream(let stream)):
            let request = answered(.getStream, tag: sequence, at: now)
            credits.record(stream)
            events.append(.stream(stream, request))
        case (.open, .actuator(let actuator)):
            events.append(.actuator(actuator, answered(.getActuator, tag: sequence, at: now)))
        case (.open, .configuration(let answer)):
            let request = answered(.getConfiguration, tag: sequence, at: now)
            events.append(.configuration(answer, request))
        case (.open, .firmware(let block)):
            events.append(.firmware(block, answered(.getFirmware, tag: sequence, at: now)))
        case (.open, .probed(let answer)):
            events.append(.probed(answer, answered(.probe, tag: sequence, at: now)))

        // Messages that are unknown or not intended for a host (SPEC 4.1)
        case (.open, .hello), (.open, .stop), (.open, .mute), (.open, .command), (.open, .query),
            (.open, .unknown):
            break
        case (.ended, _): break
        }
    }

    // MARK: Connection (SPEC 4.2)

    private mutating func welcomed(_ welcome: Welcome, at now: HostTime) {
        guard versions.contains(welcome.version) else {
            let device = welcome.versionMin...max(welcome.versionMin, welcome.versionMax)
            return end(.versionRefused(device: device, host: versions))
        }
        if let violation = welcome.violation { return end(.welcomeInvalid(violation)) }
        self.welcome = welcome
        isOnUSB = welcome.kind.hasOwnUSB
        phase = .open
        window.start(linkWindow: welcome.linkWindow)
        clock.recordStamp(welcome.clock, at: now)
        clockAskedAt = now
        events.append(.connected(welcome))
    }

    mutating func end(_ reason: LinkEnd) {
        phase = .ended
        endReason = reason
        events.append(.ended(reason))
    }

    // MARK: Urgent messages (SPEC 4.3)

    private mutating func stopped(id: UInt8) {
        guard let request = urgent.stopped(id: id) else { return }
        window.rebase()
        events.append(.stopped(request))
    }

    // MARK: Sequenced messages (SPEC 4.4)

    private mutating func acknowledged(_ ack: Acknowledge, at now: HostTime) {
        let entries = window.acknowledge(ack, at: now)
        if let newest = entries.last {
            roundTrip.recordProgress()
            // If one of the frames was sent again, the answer may refer to that copy and may arrive
            // long after the newest frame.
            if !entries.contains(where: { $0.wasSentAgain }) { measured(now - newest.sentAt) }
        }
        for entry in entries { credits.recordAcknowledged(entry.command) }
        for credit in ack.credits { credits.grant(credit) }
        pendingResults.append(entries.filter { !$0.wasRejected })
        pendingResults.recordCount(ack.rejects)
        pendingResults.giveUpIfFull()
        reportSettled()
        if ack.asksToResend, window.goBack(echoTime: roundTrip.echoTime, at: now) {
            statistics.resendsAsked += 1
        }
    }

    private mutating func rejected(_ reject: Reject, sequence: UInt8) {
        if handle(reject, sequence: sequence) { pendingResults.recordReject() }
        reportSettled()
    }

    /// Processes a rejection that arrives in a REJECT or in a STATUS, whichever comes first.
    /// Returns false if the rejection had already been reported.
    private mutating func handle(_ reject: Reject, sequence: UInt8) -> Bool {
        let isNewest = newestReject?.type == reject.type && newestReject?.sequence == sequence
        newestReject = (reject.type, sequence)
        if reject.type.isSequenced {
            return handleSequenced(reject, sequence: sequence) || !isNewest
        }
        events += unsequencedRequests(reject.type, tag: sequence).map { .rejected($0, reject) }
        return !isNewest
    }

    private mutating func unsequencedRequests(_ type: MessageType, tag: UInt8) -> [RequestID] {
        guard type.isQuery else { return urgent.rejected(type) }
        guard let answer = queries.answered(type, tag: tag) else { return [] }
        window.recordRead(answer.attempt.departure)
        return answer.query.request.map { [$0] } ?? []
    }

    /// Records that a command was rejected. Returns false if the command was not found.
    private mutating func handleSequenced(_ reject: Reject, sequence: UInt8) -> Bool {
        let entry =
            pendingResults.remove(reject.type, sequence: sequence)
            ?? window.reject(reject.type, sequence: sequence)
        guard let entry else { return false }
        credits.recordRejected(entry.command)
        events.append(.rejected(entry.id, reject))
        return true
    }

    private mutating func reportSettled() {
        for entry in pendingResults.removeSettled() {
            events.append(entry.isDoubtful ? .outcomeUnknown(entry.id) : .carriedOut(entry.id))
        }
        if pendingResults.isRejectMissing, !queries.isPending(.getStatus) {
            queries.append(.status, request: nil)
        }
    }

    /// Settles the outcomes of commands with a STATUS that was requested because a REJECT is
    /// missing. STATUS repeats only the last REJECT, without the limit of the REJECT, and may
    /// arrive just before that REJECT. If other REJECTs are also missing, any open command may have
    /// been rejected.
    private mutating func settle(by status: Status) {
        var missing = pendingResults.settle(count: status.rejects)
        if missing > 0 {
            let reject = Reject(type: status.rejectType, code: status.rejectCode)
            missing -= handle(reject, sequence: status.rejectSequence) ? 1 : 0
        }
        if missing > 0 {
            pendingResults.doubtAll()
            window.doubtAll()
        }
        reportSettled()
    }

    // MARK: Queries (SPEC 4.5)

    private mutating func answered(_ type: MessageType, tag: UInt8, at now: HostTime)
        -> RequestID?
    {
        answer(type, tag: tag, at: now)?.query.request
    }

    private mutating func answer(_ type: MessageType, tag: UInt8, at now: HostTime)
        -> (query: QueryQueue.Pending, attempt: QueryQueue.Attempt)?
    {
        guard let answer = queries.answered(type, tag: tag) else { return nil }
        measured(now - answer.attempt.sentAt)
        window.recordRead(answer.attempt.departure)
        return answer
    }

    private mutating func clockAnswered(_ reply: ClockReply, tag: UInt8, at now: HostTime) {
        guard let answer = answer(.clock, tag: tag, at: now) else { return }
        clock.add(reply, sent: answer.attempt.arrival, received: frameDeparture)
        if let estimate = clock.deviceTime(at: now) {
            events.append(.clockSampled(estimate, answer.query.request))
        }
    }

    private mutating func measured(_ sample: Microseconds) {
        roundTrip.add(sample)
        statistics.roundTrip = roundTrip.smoothed
    }
}
