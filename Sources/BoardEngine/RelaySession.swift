// RelaySession: a virtual session that gives another program limited access to a served board.

import BridgeLink
import Foundation
import HapticCompiler

/// The board's side of a virtual session with another program. Queries are forwarded to the board,
/// STOP brings all actuators to rest even if other programs are playing, and all other messages are
/// rejected.
package struct RelaySession {
    package let mailbox: EngineMailbox
    private var decoder = FrameDecoder(session: 0)
    private var encoder = FrameEncoder(session: 0)
    /// The next expected sequence number, and the number of rejected messages.
    private var (nextSequence, rejects): (UInt8, UInt8) = (0, 0)
    /// The number of bytes that have been received, modulo 65,536.
    private var received: UInt16 = 0
    /// The queries that the board has not answered, with their tags.
    private var queries: [RequestID: UInt8] = [:]
    /// The STOP that the board has not answered, and its tag.
    private var stop: (request: RequestID, id: UInt8)?
    package private(set) var isOver = false

    /// The maximum number of queries that wait for the board, which answers queries one after
    /// another.
    private static let queriesMax = 16

    private typealias Outcome = (mustStop: Bool, frames: [Frame])

    package init(_ mailbox: EngineMailbox) { self.mailbox = mailbox }

    /// Handles the bytes that the program has sent. Returns true if the program has requested that
    /// all actuators be stopped.
    package mutating func advance(
        _ session: inout LinkSession, _ welcome: Welcome, at now: HostTime
    ) -> Bool {
        var mustStop = false
        for request in mailbox.removeRequests(atMost: EngineService.requestsOfTurn) {
            switch request {
            case .frames(let bytes):
                for byte in bytes {
                    received &+= 1
                    guard let frame = decoder.receive(byte) else { continue }
                    mustStop = handle(frame, &session, welcome, at: now) || mustStop
                }
            case .stop: isOver = true
            default: break
            }
        }
        return mustStop
    }

    private mutating func handle(
        _ frame: Frame, _ session: inout LinkSession, _ welcome: Welcome, at now: HostTime
    ) -> Bool {
        guard let message = try? Message(type: frame.type, payload: frame.payload) else {
            return false
        }
        let clock = session.clock.deviceTime(at: now)?.time.stamp ?? welcome.clock
        switch message {
        case .hello(let hello):
            (decoder, encoder) = (
                FrameDecoder(session: hello.session), FrameEncoder(session: hello.session)
            )
            var answer = welcome
            (answer.session, answer.clock) = (hello.session, clock)
            send(.welcome(answer))
        case .stop(let order):
            nextSequence = order.nextSequence
            guard stop?.id != order.id else { break }
            stop = (session.stop(), order.id)
            return true
        case .mute: send(.reject(Reject(type: .mute, code: .inUse)), frame.sequence)
        case .query(.clock):
            send(.clockReply(ClockReply(received: clock, transmitted: clock)), frame.sequence)
        // Excess queries are dropped as if they had been lost on the line. The program sends
        // dropped queries again.
        case .query where queries.count >= Self.queriesMax: break
        case .query(let query): queries[session.ask(query)] = frame.sequence
        case .command(let command): reject(command, frame.sequence)
        default: break
        }
        return false
    }

    private mutating func reject(_ command: Command, _ sequence: UInt8) {
        if sequence == nextSequence {
            nextSequence &+= 1
            rejects &+= 1
            send(.reject(Reject(type: command.type, code: .inUse)), sequence)
        }
        send(
            .acknowledge(
                Acknowledge(
                    nextSequence: nextSequence, linkLimit: received &+ 256, rejects: rejects)))
    }

    /// Forwards an event of the board to the program if the event is the answer to one of the
    /// program's queries.
    package mutating func handle(_ event: LinkEvent) {
        switch event {
        // A new session with the board has begun. The program sends its requests again.
        case .connected: (queries, stop) = ([:], nil)
        case .status(let status, let request?): answer(.status(status), request)
        case .stream(let stream, let request?): answer(.stream(stream), request)
        case .actuator(let actuator, let request?): answer(.actuator(actuator), request)
        case .configuration(let answer, let request?): self.answer(.configuration(answer), request)
        case .firmware(let block, let request?): answer(.firmware(block), request)
        case .probed(let probe, let request?): answer(.probed(probe), request)
        case .sensor(let state, let request?): answer(.sensor(state), request)
        case .rejected(let request, let reject): answer(.reject(reject), request)
        case .unanswered(let request): queries[request] = nil
        case .stopped(let request) where request == stop?.request: send(.stopped(id: stop!.id))
        default: break
        }
    }

    private mutating func answer(_ message: Message, _ request: RequestID) {
        if let tag = queries.removeValue(forKey: request) { send(message, tag) }
    }

    private func send(_ message: Message, _ sequence: UInt8 = 0) {
        mailbox.report(.frames(Data(encoder.encode(Frame(message, sequence: sequence)))))
    }
}
