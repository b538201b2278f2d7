// Players of an engine, patterns that are played without one, and sounds.

import AHAP
import BridgeLink
import HapticCompiler

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HapticEngine {
    /// Makes a player of a pattern. The engine need not run yet.
    ///
    /// - Throws: `resourceNotAvailable` or `invalidAudioResource` for a sound that is not there.
    public func makePlayer(with pattern: HapticPattern) throws -> any HapticPatternPlayer {
        try makeEnginePlayer(with: pattern)
    }

    /// Makes a player that can be paused, sought, repeated, and played faster or slower.
    ///
    /// - Throws: as ``makePlayer(with:)``.
    public func makeAdvancedPlayer(
        with pattern: HapticPattern
    ) throws -> any HapticAdvancedPatternPlayer {
        try makeEnginePlayer(with: pattern)
    }

    private func makeEnginePlayer(with pattern: HapticPattern) throws -> EnginePlayer {
        let sounds = state.withLock { $0.sounds }
        for event in pattern.events { try event.checkSound { sounds[$0] != nil } }
        return state.withLock { state in
            state.lastPlayer += 1
            return EnginePlayer(
                pattern, id: PlayerID(number: state.lastPlayer), resets: state.resets,
                engine: self)
        }
    }

    // MARK: Patterns without a player

    /// Plays an AHAP file once, now. Patterns that are played so lie over each other.
    ///
    /// Starts the engine if it does not run, which takes time.
    /// - Throws: as `HapticPattern(contentsOf:)` and ``start()-b789``.
    public func playPattern(from url: URL) throws { try play(HapticPattern(contentsOf: url)) }

    /// Plays the bytes of an AHAP file once, now; see ``playPattern(from:)-(URL)``.
    public func playPattern(from data: Data) throws { try play(HapticPattern(data: data)) }

    func play(_ pattern: HapticPattern) throws {
        let player = try makeEnginePlayer(with: pattern)
        try start() as Void
        try player.start(atTime: CHHapticTimeImmediate)
        // Unless it is over already, which leaves it to this function.
        state.withLock { state in
            if state.active.contains(player.id) { state.oneShots[player.id] = player }
        }
    }

    /// What of a pattern an LRA does not render exactly, or not at all: sounds among it.
    public func rendering(of pattern: HapticPattern) -> LoweringReport {
        HapticCompiler.compile(pattern, profile: .lra).report
    }

    // MARK: Sounds

    /// Registers a sound file for audio events. No actuator plays it.
    ///
    /// - Parameters:
    ///   - resourceURL: the file, which must exist.
    ///   - options: kept for code that gives some; without effect.
    /// - Returns: the sound's number, for `CHHapticEvent(audioResourceID:parameters:relativeTime:)`.
    /// - Throws: `resourceNotAvailable` if there is no such file.
    public func registerAudioResource(
        _ resourceURL: URL, options: [AnyHashable: Any] = [:]
    ) throws -> CHHapticAudioResourceID {
        guard FileManager.default.fileExists(atPath: resourceURL.path) else {
            throw HapticError(.resourceNotAvailable, "\(resourceURL.path): no such sound file")
        }
        return state.withLock { state in
            state.lastSound += 1
            state.sounds[state.lastSound] = resourceURL
            return state.lastSound
        }
    }

    /// Forgets a registered sound.
    ///
    /// - Throws: `invalidAudioResource` if there is none of that number.
    public func unregisterAudioResource(_ resourceID: CHHapticAudioResourceID) throws {
        guard state.withLock({ $0.sounds.removeValue(forKey: resourceID) }) != nil else {
            throw HapticError(.invalidAudioResource, "sound \(resourceID) is not registered")
        }
    }

    // MARK: What players ask for

    func perform(_ command: PlayerCommand, by player: EnginePlayer, resets: Int) throws {
        let isStart = if case .start = command { true } else { false }
        if isStart, state.withLock({ $0.isShutDown }) { try start() as Void }
        try state.withLock { state in
            guard state.resets == resets else {
                throw HapticError(
                    .invalidPatternPlayer, "the board was reset since; make a new player")
            }
            guard state.run == .running, let mailbox = state.mailbox else {
                throw HapticError(.engineNotRunning, "the engine is not running; start it first")
            }
            for command in player.introduction(in: state.runNumber) {
                mailbox.post(.perform(command, player.id))
            }
            if isStart { state.active.insert(player.id) }
            mailbox.post(.perform(command, player.id))
        }
    }

    /// Passes a setting on to the board's side if that knows the player.
    func pass(_ command: PlayerCommand, to player: PlayerID, ofRun run: Int) {
        state.withLock { state in
            guard state.run == .running, state.runNumber == run else { return }
            state.mailbox?.post(.perform(command, player))
        }
    }

    func completionHandler(
        of player: PlayerID
    ) -> HapticAdvancedPatternPlayerCompletionHandler? {
        state.withLock { $0.completionHandlers[player] }
    }

    func setCompletionHandler(
        _ handler: @escaping HapticAdvancedPatternPlayerCompletionHandler, of player: PlayerID
    ) {
        state.withLock { $0.completionHandlers[player] = handler }
    }

    /// The app has let go of a player.
    func release(_ player: PlayerID) {
        state.withLock { state in
            if state.active.contains(player) {
                state.released.insert(player)
            } else {
                state.completionHandlers[player] = nil
            }
            state.mailbox?.post(.perform(.abandon, player))
        }
    }
}
