// PreviewService: serves one engine on the thread of its preview. It performs no I/O and has no
// clock.

import BoardEngine
import BridgeLink
import HapticCompiler

/// The service of an engine without a board. It sends nothing to an actuator, but players start,
/// end and are reported as on a board.
struct PreviewService {
    private let mailbox: EngineMailbox
    private var voices = PlayedVoices()
    /// The players that were started and whose end has not been reported.
    private var running: Set<PlayerID> = []
    private var idleTimeout: Microseconds?
    /// The host time at which a player was last playing.
    private var busyAt: HostTime
    /// True if the engine was asked to stop and is at rest.
    private(set) var hasEnded = false

    init(_ mailbox: EngineMailbox, at now: HostTime) {
        self.mailbox = mailbox
        busyAt = now
    }

    /// Handles requests and performs the actions that are due.
    mutating func advance(at now: HostTime) {
        for request in mailbox.removeRequests() {
            switch request {
            case .perform(let command, let player):
                voices.perform(command, of: player, at: now)
                if case .start = command, voices.players[player] != nil { running.insert(player) }
            case .shutDown(let timeout): idleTimeout = timeout
            case .stop: hasEnded = true
            // A preview has no actuators to mute, no frames to log or transfer, and no board to
            // restart.
            case .mute, .log, .restart, .frames: break
            }
        }
        guard !hasEnded else { return mailbox.report(.stopped) }
        voices.advance(to: now)
        if !running.isEmpty { busyAt = now }
        let finished = running.filter { finishTime(of: $0).map { $0 <= now } ?? false }
        running.subtract(finished)
        if !finished.isEmpty { mailbox.report(.finished(finished.sorted())) }
        if running.isEmpty, let idleTimeout, now - busyAt >= idleTimeout {
            busyAt = now
            mailbox.report(.idle)
        }
    }

    /// Returns the time at which a player ends; nil if the player has no end. For a player that has
    /// been removed, returns 0, because this player has ended.
    private func finishTime(of player: PlayerID) -> HostTime? {
        voices.players[player].map { $0.voice.finishTime } ?? 0
    }

    /// The host time at which `advance` must perform an action even without a request; nil if there
    /// is none.
    var nextDeadline: HostTime? {
        guard !running.isEmpty else { return idleTimeout.map { busyAt + $0 } }
        return (running.compactMap(finishTime) + [voices.nextCommand].compactMap(\.self)).min()
    }
}
