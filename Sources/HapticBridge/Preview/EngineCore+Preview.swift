// Engines without a board, and the output of all engines.

import BoardEngine
import BoardSharing
import BridgeLink
import HapticBoards
import HapticCompiler
import SerialPorts

extension EngineCore {
    /// Assigns the engine to its board's thread, or to a thread without a board if its device is
    /// always a preview or voice coils.
    func serve(at identity: BoardIdentity) throws -> EngineMailbox {
        if device.preview == .always || coils != nil { return try servePreview() }
        return try EngineRouter.serve(
            device.source, by: device.serverProgram, at: identity, .engine(locality)
        ) {
            self.handle($1, from: $0)
        }
    }

    private func servePreview() throws -> EngineMailbox {
        try PreviewLoop.serve(.engine(locality), on: coils) { self.handle($1, from: $0) }
    }

    /// Returns whether the engine may continue as a preview after its start on a board has failed
    /// with the given error.
    func canPreview(insteadOf error: HapticError, _ state: EngineState) -> Bool {
        device.preview == .withoutBoard && state.run == .starting && error.code == .notSupported
    }

    /// Continues a start without a board. Before this call, the board's thread has received only
    /// settings.
    func preview(_ state: inout EngineState, because error: HapticError) {
        do {
            state.mailbox = try servePreview()
            state.previewReason = error
            introduce(state)
            log(.notice, "the engine runs as a preview: \(error)", state)
        } catch {
            end(&state, HapticError(connecting: error), because: nil)
        }
    }

    // MARK: Output

    /// Carries out commands in the voices that compute the output, and in the voices that play
    /// sound or move voice coils.
    func play(_ commands: [PlayerCommand], of player: PlayerID) {
        voices.withLock { voices in
            for command in commands { voices.perform(command, of: player, at: Link.now()) }
        }
        sound.perform(commands, of: player, at: Link.now())
        coils?.perform(commands, of: player, at: Link.now())
    }

    /// Discards all players, after a stop or a reset.
    func forgetVoices() {
        voices.withLock { $0 = PlayedVoices() }
        sound.forgetVoices()
        coils?.forgetVoices()
    }

    /// Returns the combined output of all players; nil if the engine is not running.
    func output(at time: HostTime) -> HapticOutput? {
        withVoices { isMuted, voices in isMuted ? .silence : voices.output(at: time) }
    }

    /// Returns the output of a player; nil if the player is not playing.
    func output(of player: PlayerID, at time: HostTime) -> HapticOutput? {
        withVoices { isMuted, voices in
            voices.output(of: player, at: time).map { isMuted ? .silence : $0 }
        }
    }

    /// Returns everything that plays in an interval; nil if the engine is not running or is muted.
    func span(from start: HostTime, to end: HostTime) -> MixedSpan? {
        withVoices { isMuted, voices in isMuted ? nil : voices.span(from: start, to: end) }
    }

    /// Returns the result of `body` for the voices, which have advanced to the current time; nil if
    /// the engine is not running.
    private func withVoices<Result>(
        _ body: (_ isMuted: Bool, PlayedVoices) -> Result?
    ) -> Result? {
        state.withLock { state in
            guard state.run == .running else { return nil }
            return voices.withLock { voices in
                voices.advance(to: Link.now())
                return body(state.isMuted, voices)
            }
        }
    }
}
