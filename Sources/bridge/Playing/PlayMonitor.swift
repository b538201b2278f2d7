// PlayMonitor: queries a board while it plays, without disturbing the playback.

import BridgeLink
import HapticBridge
import SerialPorts

/// A monitor that sends queries between the messages of a playback and picks up the answers as they
/// arrive.
final class PlayMonitor {
    private let board: HapticBoard
    private let link: Link
    private var position: PlayPosition
    private let startedAt = Link.now()
    private var nextLookAt: HostTime = 0
    /// The last query of the look that is in progress.
    private var lastQuestion: RequestID?
    private var isAnswered = false

    private var status: Status?
    private var stream: StreamStatus?
    private var actuators: [UInt8: ActuatorStatus] = [:]

    init(_ pattern: PatternFile, on board: HapticBoard) {
        self.board = board
        link = board.link
        position = PlayPosition(pattern)
        let other = link.observer
        link.observer = { [unowned self] event in
            other?(event)
            note(event)
        }
    }

    deinit { link.observer = nil }

    /// Sends the queries when a look is due. Returns a look when all of them are answered.
    func look(_ playback: Playback) -> Snapshot? {
        let now = Link.now()
        if lastQuestion == nil, now >= nextLookAt, playback.phase != .opening {
            ask(playback.stream)
            nextLookAt = now + Microseconds(Snapshot.interval * 1e6)
        }
        guard isAnswered, let status, let stream else { return nil }
        (lastQuestion, isAnswered) = (nil, false)
        let clock = link.session.clock
        var look = Snapshot(
            at: now - startedAt, status, stream, actuators.keys.sorted().map { actuators[$0]! },
            clock)
        let elapsed = position.elapsed(playback, clock, at: now)
        look.playing = Snapshot.PlaybackState(
            level: position.output(at: elapsed).level, queue: queue(playback, stream),
            timing: playback.progress.timing)
        return look
    }

    private func ask(_ stream: UInt8) {
        link.withSession { session, _ in
            session.ask(.status)
            session.ask(.stream(stream))
            for index in 0..<board.welcome.actuators {
                lastQuestion = session.ask(.actuator(index))
            }
        }
    }

    private func note(_ event: LinkEvent) {
        switch event {
        case .status(let status, _): self.status = status
        case .stream(let stream, _): self.stream = stream
        case .actuator(let actuator, let request):
            actuators[actuator.actuator] = actuator
            isAnswered = isAnswered || request != nil && request == lastQuestion
        case .unanswered(lastQuestion): lastQuestion = nil
        default: break
        }
    }

    /// Returns the number of event bytes that were sent and are not yet executed. The device
    /// reports how far the running total of sent bytes may go.
    private func queue(_ playback: Playback, _ stream: StreamStatus) -> Int {
        guard stream.state != .closed else { return 0 }
        let executed = stream.eventLimit &- stream.capacity
        return Int(UInt16(truncatingIfNeeded: playback.progress.bytesSent) &- executed)
    }
}
