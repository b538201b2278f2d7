// LiveClient: a live stream to a board with its own clock, over a simulated line that delays and
// corrupts bytes.

import BridgeLink
import HapticPatterns
import TestSupport

@testable import BoardEngine
@testable import HapticBridge

/// A `LiveStream` and its players, on the session of a `JitterLink`.
final class LiveClient: LinkClient {
    private(set) var live = LiveStream(actuators: ActuatorMask(index: 0))
    let link: JitterLink
    /// The rejected commands. On an error-free line, no command is rejected.
    private(set) var rejects: [Reject] = []
    private(set) var faults: Faults = []
    private var lastPlayer: UInt64 = 0
    private var wishes: [(inout LinkSession) -> Void] = []

    /// Connects, compares the clocks and opens the stream. Returns nil on timeout.
    init?(_ line: LineDelays.Kind, drift: Double, seed: UInt64, noise: Int? = nil) {
        link = JitterLink(line, drift: drift, seed: seed, noise: noise)
        guard link.connect() else { return nil }
        link.run(until: link.now + 100_000)
        use { [unowned self] session in live.begin(&session, at: link.now) }
        link.client = self
        guard link.run(until: link.now + 3_000_000, { _ in live.phase == .open }) else {
            return nil
        }
    }

    /// Runs a closure with the session when the simulation next runs the client.
    func use(_ wish: @escaping (inout LinkSession) -> Void) {
        wishes.append(wish)
        link.wakeClient()
    }

    /// Starts a new player immediately.
    func start(_ pattern: HapticPattern) -> PlayerID {
        lastPlayer += 1
        let player = PlayerID(number: lastPlayer)
        perform(.add(PlayerVoice(pattern)), of: player)
        perform(.start(at: 0), of: player)
        return player
    }

    func perform(_ command: PlayerCommand, of player: PlayerID) {
        live.perform(command, of: player)
        link.wakeClient()
    }

    func run(for time: Microseconds) { link.run(until: link.now + time) }

    /// The last level written to the chip.
    var level: Int { link.board.transactions.levels.last.map { Int($0.value) } ?? 0 }

    // MARK: LinkClient

    func handle(_ event: LinkEvent, _ session: inout LinkSession, at now: HostTime) {
        switch event {
        case .rejected(_, let reject): rejects.append(reject)
        case .status(let status, _): faults.formUnion(status.faults)
        default: break
        }
        live.handle(event, &session, at: now)
    }

    func advance(_ session: inout LinkSession, at now: HostTime) -> HostTime? {
        for wish in wishes { wish(&session) }
        wishes = []
        live.carryOutUnfelt(at: now)
        live.advance(&session, at: now)
        live.feed(&session, at: now)
        _ = live.removeFinished(at: now)
        return live.nextDeadline(session, at: now)
    }
}
