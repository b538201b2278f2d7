// ButtplugClient: a client that sets the levels of a board.

import BridgeLink
import HapticBridge
import LocalServers
import ProgramProtocols

/// The session of a client, and the levels that the client plays. Only one thread at a time uses
/// the session.
final class ButtplugClient {
    private let page: PageConnection
    private var session: ButtplugSession
    /// A level for each vibrator.
    private let players: [LevelPlayer]

    /// The sharpness of all levels, because the messages contain no sharpness.
    private static let sharpness = 0.5

    init(
        _ page: PageConnection, _ board: ButtplugBoard, _ engines: [HapticEngine],
        at now: Microseconds
    ) {
        self.page = page
        session = ButtplugSession(board, at: now)
        players = engines.map(LevelPlayer.init)
    }

    func receive(_ text: String, at now: Microseconds) {
        answer(session.receive(text, at: now))
    }

    /// Ends the session if the client is silent, and sends deferred levels. Must be called every
    /// few milliseconds.
    func tick(at now: Microseconds) {
        let texts = session.expire(at: now)
        if !texts.isEmpty { answer(texts) }
        // A level that could not be sent is sent again at the next call.
        for player in players { try? player.tick() }
    }

    /// Ends the levels of the client immediately.
    func stop() {
        for player in players { player.stop() }
    }

    /// Plays the levels of the session, and sends texts to the client.
    private func answer(_ texts: [String]) {
        if session.isOver { stop() }
        do throws(HapticError) {
            for (player, level) in zip(players, session.levels) {
                try player.set(
                    LevelPlayer.Level(intensity: level, sharpness: Self.sharpness), at: nil)
            }
        } catch {
            page.send(session.failure(error.message))
        }
        for text in texts { page.send(text) }
        if session.isOver { page.close() }
    }
}
