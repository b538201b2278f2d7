// Complete exchanges over a stepped link. Each exchange sends a request, and steps until the answer
// is received.

import BridgeLink
import SerialPorts
import VirtualBoard

extension IdealLink {
    /// The maximum time to wait for an answer: long enough for several attempts over a noisy line.
    private static var answerLimit: BoardTime { 2_000_000 }

    /// Sends a command and waits for its outcome. Returns the REJECT message, or nil if the command
    /// was executed.
    @discardableResult
    public func carryOut(_ command: Command) throws -> Reject? {
        let request = session.send(command)
        return try answer { event in
            switch event {
            case .carriedOut(request): .some(nil)
            case .rejected(request, let reject): .some(reject)
            case .dropped(request), .outcomeUnknown(request): throw RequestError.dropped
            default: nil
            }
        }
    }

    public func status() throws -> Status {
        try ask(.status) { event, request in
            if case .status(let status, request) = event { status } else { nil }
        }
    }

    public func stream(_ index: UInt8 = 0) throws -> StreamStatus {
        try ask(.stream(index)) { event, request in
            if case .stream(let stream, request) = event { stream } else { nil }
        }
    }

    public func sensor() throws -> SensorState {
        try ask(.sensor) { event, request in
            if case .sensor(let state, request) = event { state } else { nil }
        }
    }

    public func actuator(_ index: UInt8 = 0) throws -> ActuatorStatus {
        try ask(.actuator(index)) { event, request in
            if case .actuator(let actuator, request) = event { actuator } else { nil }
        }
    }

    public func configuration(ofActuator index: UInt8 = 0) throws -> ActuatorConfiguration {
        try ask(.configuration(actuator: index)) { event, request in
            if case .configuration(let answer, request) = event {
                answer.configuration
            } else {
                nil
            }
        }
    }

    /// Sends STOP and waits for the answer.
    public func stop() throws {
        let request = session.stop()
        try answer { $0 == .stopped(request) ? () : nil }
    }

    /// Sends MUTE and waits for the answer.
    public func mute(_ isMuted: Bool) throws {
        let request = session.mute(.all, isMuted)
        try answer { event in
            if case .rejected(request, let reject) = event { throw RequestError.rejected(reject) }
            return event == .muted(request) ? () : nil
        }
    }

    private func ask<Answer>(_ query: Query, _ pick: (LinkEvent, RequestID?) -> Answer?) throws
        -> Answer
    {
        let request = session.ask(query)
        return try answer { event in
            switch event {
            case .rejected(request, let reject): throw RequestError.rejected(reject)
            case .unanswered(request): throw RequestError.unanswered
            default: pick(event, request)
            }
        }
    }

    /// Steps until `pick` returns a value for an event that is reported after the call. Returns
    /// that value.
    private func answer<Answer>(_ pick: (LinkEvent) throws -> Answer?) throws -> Answer {
        var next = events.count
        let end = board.now + Self.answerLimit
        while true {
            while next < events.count {
                if let answer = try pick(events[next]) { return answer }
                if case .ended(let reason) = events[next] { throw reason }
                next += 1
            }
            guard board.now < end, session.phase != .ended else {
                throw session.endReason ?? RequestError.unanswered as any Error
            }
            step()
        }
    }
}
