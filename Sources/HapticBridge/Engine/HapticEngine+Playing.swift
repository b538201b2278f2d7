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
    /// - Throws: `invalidAudioResource` for a sound that is not registered, or not named.
    public func makePlayer(with pattern: CHHapticPattern) throws -> any HapticPatternPlayer {
        try makeEnginePlayer(with: pattern)
    }

    /// Makes a player that can be paused, sought, repeated, and played faster or slower.
    ///
    /// - Throws: as ``makePlayer(with:)``.
    public func makeAdvancedPlayer(
        with pattern: CHHapticPattern
    ) throws -> any HapticAdvancedPatternPlayer {
        try makeEnginePlayer(with: pattern)
    }

    private func makeEnginePlayer(with pattern: CHHapticPattern) throws -> EnginePlayer {
        try EnginePlayer(pattern.value, of: core, keeping: self)
    }

    // MARK: Patterns without a player

    /// Plays an AHAP file once, now. Patterns that are played so lie over each other. An event without
    /// an end lasts for 30 s; a stop or the engine's release ends everything before.
    ///
    /// Starts the engine if it does not run, which takes time.
    /// - Throws: as `CHHapticPattern(contentsOf:)` and ``start()-b789``.
    public func playPattern(from url: URL) throws {
        try core.play(AHAPReader.reading(contentsOf: url).pattern)
    }

    /// Plays the bytes of an AHAP file once, now; see ``playPattern(from:)-(URL)``.
    public func playPattern(from data: Data) throws {
        try core.play(AHAPReader.reading(data).pattern)
    }

    /// What of a pattern an LRA does not render exactly, or not at all: sounds among it.
    public func rendering(of pattern: CHHapticPattern) -> LoweringReport {
        HapticCompiler.compile(pattern.value, profile: .lra).report
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
}

extension EngineCore {
    /// Plays a pattern once, now.
    func play(_ pattern: HapticPattern) throws {
        // It is let go of at once, and so plays to its end.
        let player = try EnginePlayer(pattern, endless: .limited, of: self, keeping: nil)
        try start()
        try player.start(atTime: CHHapticTimeImmediate)
    }
}
