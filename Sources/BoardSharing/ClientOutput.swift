// ClientOutput: answers the queries of a program for its haptic output.

import BoardEngine
import BridgeLink
import SerialPorts

/// Copies of a program's players, which play in the server, so that the server can answer the
/// program's queries for its output. All work is done on a separate queue, so that no other program
/// must wait for it.
final class ClientOutput: Sendable {
    private struct State {
        /// The voices; nil while the board is not ready to play.
        var voices: PlayedVoices?
        var isMuted = false

        mutating func perform(_ request: EngineRequest, at now: HostTime) {
            switch request {
            case .perform(let command, let player):
                voices?.perform(command, of: player, at: now)
            case .mute(let isMuted): self.isMuted = isMuted
            case .stop: voices = nil
            case .log, .shutDown, .restart, .frames: break
            }
        }

        mutating func output(of player: PlayerID?, at time: HostTime) -> HapticOutput? {
            guard voices != nil else { return nil }
            voices!.advance(to: Link.now())
            guard let player else { return isMuted ? .silence : voices!.output(at: time) }
            return voices!.output(of: player, at: time).map { isMuted ? .silence : $0 }
        }
    }

    private let state = LockedValue(State())
    private let waiting = LockedValue(0)
    private let queue = hostClock.makeQueue("haptic-bridge.output", isUtility: true)

    /// The maximum number of closures that wait for the queue before the program must wait.
    private static let waitingMax = 64
    /// The maximum time by which a queried time may be ahead of the current time, in microseconds.
    /// A later time is replaced with this maximum.
    private static let aheadMax: Microseconds = 1_000_000

    /// True if the program must wait because its earlier messages have not been handled.
    var isBusy: Bool { waiting.withLock { $0 >= Self.waitingMax } }

    private func enqueue(_ body: @escaping @Sendable (inout State) -> Void) {
        waiting.withLock { $0 += 1 }
        queue.async { [self] in
            state.withLock(body)
            waiting.withLock { $0 -= 1 }
        }
    }

    /// Carries out the requests of the program.
    func perform(_ requests: [EngineRequest]) {
        let now = Link.now()
        enqueue { state in
            for request in requests { state.perform(request, at: now) }
        }
    }

    /// Follows the state of the board, which is ready to play from its start until a reset.
    func follow(_ report: EngineReport) {
        switch report {
        case .started: enqueue { $0.voices = PlayedVoices() }
        case .reset: enqueue { $0.voices = nil }
        default: break
        }
    }

    /// Answers a query.
    ///
    /// - Parameters:
    ///   - player: the player whose output is requested; nil to request the combined output of all
    ///     players.
    ///   - time: the time of the output; 0 for the current time.
    ///   - send: sends the output, which is nil if the player does not play at that time.
    func answer(
        _ player: PlayerID?, at time: HostTime, _ send: @escaping @Sendable (HapticOutput?) -> Void
    ) {
        let now = Link.now()
        let time = time == 0 ? now : min(time, now + Self.aheadMax)
        enqueue { send($0.output(of: player, at: time)) }
    }
}
