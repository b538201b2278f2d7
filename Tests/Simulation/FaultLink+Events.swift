// FaultLink+Events: the responses of a host to the messages that it receives.

import BridgeLink
import VirtualBoard

extension FaultLink {
    func handleEvents() {
        while let event = session.nextEvent() {
            if isTraced { traceEvent(event) }
            switch event {
            case .connected: connected()
            case .carriedOut(let request) where request == configuring: begin()
            case .stopped:
                (stoppedAt, isStopping) = (now, false)
                for index in revisers.indices { revisers[index].stopped(at: now) }
            // STOP closes the streams that are open when it is executed (SPEC 4.3). A stream that
            // is opened later may play.
            case .carriedOut(let request) where revisers.contains { $0.isOpening(request) }:
                stoppedAt = nil
            case .status(let status, _): lateness.record(status)
            case .muted: if mutedAt == .max { mutedAt = now }
            case .rejected(_, let reject) where reject.code == .credit && !plan.isLive:
                referee.report(now, "event credit overrun")
            case .rejected(let request, _) where request == configuring: configure()
            case .dropped(let request) where request == configuring: configure()
            case .outcomeUnknown(let request) where request == configuring: configure()
            default: break
            }
            playback?.handle(event, &session, at: hostNow)
            for index in revisers.indices where plan.isLive {
                revisers[index].handle(event, &session, at: now)
            }
        }
        for index in revisers.indices where plan.isLive {
            revisers[index].advance(&session, at: now, jump: jump)
        }
        guard playback != nil else { return }
        playback!.advance(&session, at: hostNow)
        follow(playback!)
    }

    /// Records the timing that the playback itself reports.
    func follow(_ playback: Playback) {
        guard let last = performances.indices.last, session.phase == .open else { return }
        let progress = playback.progress
        // The error bound when START is sent.
        if plan.isTimed, playback.phase == .starting, var origin = performances[last].origin,
            let device = session.clock.deviceTime(at: hostNow)
        {
            origin.bound = max(origin.bound, 3_000 + Double(device.errorBound))
            performances[last].origin = origin
        }
        // A clock value that was read before a reset provides no information about the clock after
        // the reset (SPEC 5).
        let begun = BoardTime(Double(performances[last].begun) * rate)
        if !knowsStart, let start = progress.startTime, resets.allSatisfy({ $0.upperBound < begun })
        {
            knowsStart = true
            performances[last].origin = (Double(board.traceTime(of: start)) / rate, 3_000)
        }
    }
}
