// ModelDevice: a model of the device's side of the session: sequence numbers, credits, STOP and
// queries. The model implements SPEC 3 and 4 independently of the firmware.

import BridgeLink

package final class ModelDevice {
    /// The sequenced messages that were executed, in order.
    package private(set) var carriedOut: [Command] = []
    package private(set) var eventBytes: [UInt8] = []
    package private(set) var stopCount = 0
    package private(set) var output: [UInt8] = []
    package private(set) var hasCreditError = false
    package var linkWindow: UInt16 = 192
    package var memory: UInt16 = 512
    package var actuators: UInt8 = 1
    package var streams: UInt8 = 1
    package var bodyMax: UInt8 = 64
    package var kind = BoardKind.unknown
    /// The number of event bytes that a playing stream consumes per millisecond.
    package var pace = 1
    package var actuatorState = ActuatorState.atRest
    /// The latched faults. The faults of the device. A CLEAR_FAULTS message that matches these
    /// faults immediately replaces them with `nextFaults`.
    package var faults: (total: UInt8, latched: Faults) = (0, [])
    package var nextFaults: Faults = []
    /// The number of late writes since the device started, and the maximum lateness in
    /// microseconds.
    package var lateness: (events: UInt16, latest: UInt32) = (0, 0)
    /// A closure that returns the error code of a rejection, or nil to accept a command. The
    /// default closure accepts every command.
    package var rejectCode: (Command) -> RejectCode? = { _ in nil }
    /// A closure that returns true if the device is to answer a query.
    package var answers: (Query) -> Bool = { _ in true }

    package init() {}

    private var session: UInt32?
    private var decoder = FrameDecoder(session: 0)
    private var expected: UInt8 = 0
    private var linkTotal: UInt16 = 0
    private var rejects: UInt8 = 0
    private var lastReject: (sequence: UInt8, type: MessageType, code: RejectCode) = (
        0, .hello, .none
    )
    private var lastStop: UInt8 = 0
    private var clock: UInt32 = 0xFC6C_7900
    private var stream: Stream?

    private struct Stream {
        var state = StreamState.open
        var received = 0
        var used = 0
    }

    /// Clears the whole state and reports a reset.
    package func reset() {
        session = nil
        decoder = FrameDecoder(session: 0)
        (expected, linkTotal, rejects, lastStop, stream) = (0, 0, 0, 0, nil)
        sendNoSession()
    }

    package func nextOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Advances the playback by `milliseconds`, one by default.
    package func advance(milliseconds: Int = 1, endsAt total: Int? = nil) {
        clock &+= UInt32(milliseconds * 1_000)
        guard stream?.state == .playing || stream?.state == .dry else { return }
        stream!.used = min(stream!.used + pace * milliseconds, stream!.received)
        stream!.state = stream!.used < stream!.received ? .playing : .dry
        if let total, stream!.used >= total { stream!.state = .ended }
        if stream!.state == .ended { actuatorState = .atRest }
    }

    // MARK: Receiving

    package func receive(_ bytes: [UInt8]) {
        for byte in bytes {
            let damaged = decoder.damagedFrames
            if let frame = decoder.receive(byte) {
                receive(frame)
            } else if decoder.damagedFrames > damaged {
                session == nil ? sendNoSession() : acknowledge(resend: true)
            }
        }
    }

    private func receive(_ frame: Frame) {
        guard let message = try? Message(type: frame.type, payload: frame.payload) else { return }
        switch message {
        case .hello(let hello): adopt(hello)
        case _ where session == nil: sendNoSession()
        case .stop(let stop): carryOut(stop)
        case .mute(let mute): send(.muted(id: mute.id))
        case .command(let command): sequenced(command, frame)
        case .query(let query): if answers(query) { answer(query, tag: frame.sequence) }
        default: break
        }
    }

    private func adopt(_ hello: Hello) {
        if session != hello.session {
            (expected, linkTotal, rejects, lastStop, stream) = (0, 0, 0, 0, nil)
            session = hello.session
            decoder = FrameDecoder(session: hello.session)
        }
        let text: [UInt8] =
            [1, 1, 1] + little(hello.session) + little(UInt32(1)) + little(UInt64(7))
            + [0, 1, actuators, streams] + little(memory) + little(linkWindow)
            + [bodyMax, 1, 1, 0] + little(clock) + [kind.rawValue]
        output += FrameEncoder(session: 0).encode(Frame(type: .welcome, payload: text))
    }

    private func carryOut(_ stop: Stop) {
        if stop.id != lastStop {
            lastStop = stop.id
            stopCount += 1
            stream = nil
            if 1...127 ~= stop.nextSequence &- expected {
                (expected, linkTotal) = (stop.nextSequence, stop.linkTotal)
            }
        }
        send(.stopped(id: stop.id))
    }

    private func sequenced(_ command: Command, _ frame: Frame) {
        guard frame.sequence == expected else {
            return acknowledge(resend: 1...127 ~= frame.sequence &- expected)
        }
        expected &+= 1
        linkTotal &+= UInt16(frame.wireSize)
        if let code = rejectCode(command) ?? carryOut(command) {
            rejects &+= 1
            lastReject = (frame.sequence, command.type, code)
            send(.reject(Reject(type: command.type, code: code)), sequence: frame.sequence)
        } else {
            carriedOut.append(command)
        }
        acknowledge(resend: false)
    }

    private func carryOut(_ command: Command) -> RejectCode? {
        switch command {
        case .open: stream = Stream()
        case .close: stream = nil
        case .start where stream == nil, .events where stream == nil: return .noStream
        case .start:
            stream!.state = .playing
            actuatorState = .awake
        case .events(let events):
            stream!.received += events.bytes.count
            eventBytes += events.bytes
            if stream!.received - stream!.used > Int(memory) { hasCreditError = true }
        case .clearFaults(let old) where old.faultTotal == faults.total:
            faults.latched = faults.latched.subtracting(old.faults).union(nextFaults)
            faults.total += nextFaults.isEmpty ? 0 : 1
        default: break
        }
        return nil
    }

    // MARK: Answering

    private func acknowledge(resend: Bool) {
        var ack = Acknowledge(
            nextSequence: expected, asksToResend: resend,
            linkLimit: linkTotal &+ linkWindow, rejects: rejects)
        if stream != nil {
            ack.credits = [.init(stream: 0, generation: 0, eventLimit: eventLimit)]
        }
        send(.acknowledge(ack))
    }

    private var eventLimit: UInt16 {
        UInt16(truncatingIfNeeded: (stream?.used ?? 0) + Int(memory))
    }

    private func answer(_ query: Query, tag: UInt8) {
        switch query {
        case .clock:
            send(.clockReply(ClockReply(received: clock, transmitted: clock)), sequence: tag)
        case .status:
            let text =
                [0, faults.total] + little(faults.latched.rawValue)
                + [0, 0] + little(lateness.events) + little(lateness.latest)
                + [UInt8](repeating: 0, count: 10)
                + [
                    lastReject.sequence, lastReject.type.rawValue, lastReject.code.rawValue,
                    rejects, 255,
                ]
                + little(clock)
            send(type: .status, text, sequence: tag)
        case .stream(let index):
            let state = stream?.state ?? .closed
            let text: [UInt8] =
                [index, 0, state.rawValue, 1, 0] + little(memory) + little(eventLimit)
                + little(clock) + little(UInt32(stream?.used ?? 0))
                + [UInt8](repeating: 0, count: 10)
            send(type: .stream, text, sequence: tag)
        case .actuator(let index):
            let text = [index, actuatorState.rawValue, 7, 1] + [UInt8](repeating: 0, count: 28)
            send(type: .actuator, text, sequence: tag)
        case .configuration, .firmware, .probe, .sensor: break
        }
    }

    private func sendNoSession() {
        let loss = NoSession(resetCause: .watchdog, bootCount: 2, clock: clock)
        output += FrameEncoder(session: 0).encode(Frame(.noSession(loss)))
    }

    private func send(_ message: Message, sequence: UInt8 = 0) {
        send(type: message.type, message.payload, sequence: sequence)
    }

    private func send(type: MessageType, _ payload: [UInt8], sequence: UInt8) {
        let frame = Frame(type: type, sequence: sequence, payload: payload)
        output += FrameEncoder(session: session ?? 0).encode(frame)
    }

    private func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        stride(from: 0, to: Value.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
