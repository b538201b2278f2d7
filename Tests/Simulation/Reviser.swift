// A host that changes its mind all the time: REVISE after REVISE on one stream (SPEC 6).

import BridgeLink
import TestSupport

/// Opens a stream and revises it until its time is over. Each segment is a score of its own.
struct Reviser {
    enum Phase: Equatable { case idle, opening, open, over }

    private(set) var phase = Phase.idle
    /// One for each REVISE that was sent.
    private(set) var performances: [Performance] = []
    private(set) var rejects = 0
    /// How exactly the clocks were known when each was sent.
    private var bounds: [Double] = []

    private var generation: UInt8 = 0
    private var openRequest: RequestID?
    /// REVISEs whose verdict is not known: which performance, and which generation.
    private var requests: [RequestID: (index: Int, generation: UInt8)] = [:]
    private var next: Microseconds = 0
    private let end: Microseconds
    private var random: SeededGenerator

    /// From sending a REVISE to its time.
    private static let lead: Microseconds = 6_000
    /// What is rendered and on the bus before a REVISE is carried out may still be heard.
    private static let settling: Microseconds = 3_000

    init(end: Microseconds, seed: UInt64) {
        self.end = end
        random = SeededGenerator(seed: seed)
    }

    mutating func begin(_ session: inout LinkSession) {
        openRequest = session.send(.open(Open(stream: 0, actuators: ActuatorMask(index: 0))))
        (generation, requests, phase) = (0, [:], .opening)
    }

    /// Another session, or STOP: nothing that was sent before may be heard from `time` on.
    mutating func silence(from time: Microseconds) {
        for index in performances.indices {
            performances[index].over = min(performances[index].over, time)
        }
        requests = [:]
    }

    /// STOP has been answered: that is the end, unless the notice that the stream had closed came
    /// before and another one is being opened.
    mutating func stopped(at time: Microseconds) {
        silence(from: time + Self.settling)
        if phase == .open { phase = .over }
    }

    mutating func wait() { phase = .idle }

    /// Whether this is the end of opening a stream.
    func isOpening(_ request: RequestID) -> Bool { request == openRequest }

    /// - Parameter now: the true time; the session's is `jump` ahead of it.
    mutating func handle(_ event: LinkEvent, _ session: inout LinkSession, at now: Microseconds) {
        switch event {
        case .carriedOut(openRequest): phase = .open
        case .carriedOut(let request): carriedOut(request, at: now)
        case .rejected(openRequest, _): phase = .over
        case .rejected(let request, let reject): rejected(request, reject, &session)
        case .dropped(openRequest): phase = .over
        case .dropped(let request): requests[request] = nil
        case .stream(let status, _) where status.state == .closed && phase == .open:
            silence(from: now + Self.settling)
            begin(&session)
        default: break
        }
    }

    private mutating func carriedOut(_ request: RequestID, at now: Microseconds) {
        guard let (index, _) = requests.removeValue(forKey: request) else { return }
        let time = performances[index].begun
        // One that came too late took effect when it came.
        let half = Double(max(0, now - time)) / 2
        performances[index].origin = (Double(time) + half, 3_000 + bounds[index] + half)
        for earlier in performances[..<index].indices {
            let over = max(time, now) + Self.settling
            performances[earlier].over = min(performances[earlier].over, over)
        }
    }

    private mutating func rejected(
        _ request: RequestID, _ reject: Reject, _ session: inout LinkSession
    ) {
        guard let (index, revised) = requests.removeValue(forKey: request) else { return }
        rejects += 1
        performances[index].over = 0
        switch reject.code {
        case .pending, .credit: generation = revised &- 1
        case .range: generation = UInt8(truncatingIfNeeded: reject.limit) &- 1
        default: begin(&session)
        }
    }

    mutating func advance(_ session: inout LinkSession, at now: Microseconds, jump: Microseconds) {
        guard phase == .open, now >= next else { return }
        guard now < end else {
            session.send(.close(stream: 0))
            phase = .over
            return
        }
        let time = now + Self.lead
        guard session.isWindowClear, let device = session.clock.deviceTime(at: time + jump) else {
            return
        }
        next = now + .random(in: 15_000...80_000, using: &random)
        let score = Score(
            part: performances.count, start: .at(time), length: 60_000,
            spacing: .random(in: 20...48, using: &random), using: &random)
        // Until the verdict is known it may have come at any time since.
        performances.append(
            Performance(score: score, begun: time, origin: (Double(time) + 500_000, 503_000)))
        bounds.append(Double(device.errorBound))
        generation &+= 1
        let request = session.send(
            .revise(
                Revise(
                    stream: 0, generation: generation,
                    time: UInt32(truncatingIfNeeded: device.time), level: 0, sharpness: 0,
                    bytes: score.bytes)))
        requests[request] = (performances.count - 1, generation)
    }
}
