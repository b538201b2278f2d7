// Reviser: a host that continuously revises one stream with REVISE messages (SPEC 6).

import BridgeLink
import TestSupport

/// A host that opens a stream and revises the stream until the host's time is over. Each segment
/// has its own score.
struct Reviser {
    enum Phase: Equatable { case idle, opening, open, over }

    private(set) var phase = Phase.idle
    /// The performances, one for each REVISE that the host has sent.
    private(set) var performances: [Performance] = []
    private(set) var rejects = 0
    /// The time of each REVISE, and the uncertainty of the clocks when the REVISE was sent.
    private var revises: [(time: Microseconds, bound: Double)] = []

    private var generation: UInt8 = 0
    private var openRequest: RequestID?
    /// The REVISE requests whose outcome is unknown, each with its performance and its generation.
    private var requests: [RequestID: (index: Int, generation: UInt8)] = [:]
    private var next: Microseconds = 0
    /// The number of the stream.
    private let stream: UInt8
    let actuators: ActuatorMask
    private let share: UInt16
    private let steps: Int
    private let end: Microseconds
    private var random: SeededGenerator

    /// The interval between the transmission and the effect of a REVISE.
    private static let lead: Microseconds = 6_000
    /// The time after the execution of a REVISE in which the board may still write levels that it
    /// rendered before, if the chips are awake.
    private let settling: Microseconds

    init(_ plan: Plan, stream: Int) {
        self.stream = UInt8(stream)
        actuators = plan.streams[stream]
        share = UInt16(plan.streams.count)
        steps = plan.levelSteps
        settling = 3_000 + plan.wakingTime + plan.oddities.rounds(1 + 3 * plan.actuators)
        end = plan.start + plan.lead + plan.length
        random = SeededGenerator(seed: plan.seed &+ UInt64(stream) << 32)
    }

    mutating func begin(_ session: inout LinkSession) {
        let memory = share == 1 ? 0 : (session.welcome?.eventMemory ?? 0) / share
        let open = Open(stream: stream, actuators: actuators, memory: memory)
        openRequest = session.send(.open(open))
        (generation, requests, phase) = (0, [:], .opening)
    }

    /// Ends all performances after a new session or STOP. The board must not play an event that was
    /// sent before at or after `time`.
    mutating func silence(from time: Microseconds) {
        for index in performances.indices {
            performances[index].over = min(performances[index].over, time)
        }
        requests = [:]
    }

    /// Ends the host after STOP has been answered, unless the notice of the closed stream was
    /// received before and the host is opening another stream.
    mutating func stopped(at time: Microseconds) {
        silence(from: time + settling)
        if phase == .open { phase = .over }
    }

    mutating func wait() { phase = .idle }

    /// Returns true if a request opens the stream.
    func isOpening(_ request: RequestID) -> Bool { request == openRequest }

    /// - Parameter now: the true time; the session's time is later by `jump`.
    mutating func handle(_ event: LinkEvent, _ session: inout LinkSession, at now: Microseconds) {
        switch event {
        case .carriedOut(openRequest): phase = .open
        case .carriedOut(let request): carriedOut(request, at: now)
        case .rejected(openRequest, _): phase = .over
        case .rejected(let request, let reject): rejected(request, reject, &session)
        case .dropped(openRequest): phase = .over
        case .outcomeUnknown(openRequest): begin(&session)
        case .dropped(let request): requests[request] = nil
        case .outcomeUnknown(let request): came(request, by: now)
        case .stream(let status, _)
        where status.stream == stream && status.state == .closed && phase == .open:
            silence(from: now + settling)
            begin(&session)
        default: break
        }
    }

    private mutating func carriedOut(_ request: RequestID, at now: Microseconds) {
        guard let index = came(request, by: now) else { return }
        for earlier in performances[..<index].indices {
            let over = max(revises[index].time, now) + settling
            performances[earlier].over = min(performances[earlier].over, over)
        }
    }

    /// Records that a REVISE, if it was accepted, has already taken effect. A late REVISE takes
    /// effect when it is received. Returns the index of the REVISE's performance.
    @discardableResult
    private mutating func came(_ request: RequestID, by now: Microseconds) -> Int? {
        guard let (index, _) = requests.removeValue(forKey: request) else { return nil }
        let (time, bound) = revises[index]
        let half = Double(max(0, now - time)) / 2
        performances[index].origin = (Double(time) + half, 3_000 + bound + half)
        return index
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
            session.send(.close(stream: stream))
            phase = .over
            return
        }
        let time = now + Self.lead
        guard session.isWindowClear,
            let device = session.clock.deviceTime(at: HostTime(microseconds: time + jump))
        else { return }
        next = now + .random(in: 15_000...80_000, using: &random)
        let score = Score(
            part: performances.count, length: 60_000, spacing: .random(in: 20...48, using: &random),
            steps: steps, using: &random)
        // Until the outcome is known, the board may have received the REVISE at any time since the
        // transmission.
        performances.append(
            Performance(score: score, begun: now, origin: (Double(time) + 500_000, 503_000)))
        revises.append((time, Double(device.errorBound)))
        generation &+= 1
        let request = session.send(
            .revise(
                Revise(
                    stream: stream, generation: generation,
                    time: device.time.stamp, level: 0, sharpness: 0,
                    bytes: score.bytes)))
        requests[request] = (performances.count - 1, generation)
    }
}
