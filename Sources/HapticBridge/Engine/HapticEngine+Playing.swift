// Players of an engine, one-shot playback of patterns, and registered sounds.

import AHAP
import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns

extension HapticEngine {
    /// Creates a player of a pattern. The engine need not be running.
    ///
    /// - Throws: `invalidAudioResource` for a sound that is not registered or has no name.
    public func makePlayer(with pattern: CHHapticPattern) throws
        -> any HapticPatternPlayer & Sendable
    {
        try makeEnginePlayer(with: pattern)
    }

    /// Creates a player that can pause, resume, seek, loop and change its playback rate.
    ///
    /// - Throws: the errors of ``makePlayer(with:)``.
    public func makeAdvancedPlayer(
        with pattern: CHHapticPattern
    ) throws -> any HapticAdvancedPatternPlayer & Sendable {
        try makeEnginePlayer(with: pattern)
    }

    private func makeEnginePlayer(with pattern: CHHapticPattern) throws(HapticError) -> EnginePlayer
    {
        try EnginePlayer(pattern.value, in: pattern.file, of: core, keeping: self)
    }

    // MARK: Patterns without a player

    /// Plays an AHAP file once, starting immediately. Patterns that are played by this method may
    /// overlap. An event without an end lasts 30 s, unless the engine is stopped or released
    /// earlier.
    ///
    /// If the engine is not running, the call takes more time, because it starts the engine.
    /// - Throws: the errors of `CHHapticPattern(contentsOf:)` and ``start()-b789``.
    public func playPattern(from url: URL) throws {
        try core.play(AHAPReader.reading(contentsOf: url).pattern, in: url)
    }

    /// Plays the bytes of an AHAP file once, starting immediately; see
    /// ``playPattern(from:)-(URL)``.
    public func playPattern(from data: Data) throws {
        try core.play(AHAPReader.reading(data).pattern)
    }

    /// Plays a pattern once, starting immediately; see ``playPattern(from:)-(URL)``.
    package func playPattern(_ pattern: HapticPattern) throws(HapticError) {
        try core.play(pattern)
    }

    /// Returns a report of the parts of a pattern that the actuator renders inexactly or not at
    /// all, such as sounds. The report applies to the actuator of the engine's last start, or to a
    /// coin LRA before the first start.
    public func rendering(of pattern: CHHapticPattern) -> LoweringReport {
        let profile = core.state.withLock { $0.profile }
        return HapticCompiler.compile(pattern.value, profile: profile).report
    }

    // MARK: Sounds

    /// Registers a sound file for audio events. The sound is audible if the program has called
    /// `HapticSound.install()`.
    ///
    /// - Parameters:
    ///   - resourceURL: the file, which must exist.
    ///   - options: the Boolean options of the sound.
    ///     ``CHHapticAudioResourceKeyUseVolumeEnvelope``, true by default, makes the volume follow
    ///     the envelope of the event. ``CHHapticAudioResourceKeyLoopEnabled``, false by default,
    ///     makes the sound repeat.
    /// - Returns: the number of the sound, for
    ///   `CHHapticEvent(audioResourceID:parameters:relativeTime:)`.
    /// - Throws: `resourceNotAvailable` if the file does not exist.
    public func registerAudioResource(
        _ resourceURL: URL, options: [AnyHashable: Any] = [:]
    ) throws -> CHHapticAudioResourceID {
        guard FileManager.default.fileExists(atPath: resourceURL.path) else {
            throw HapticError(.resourceNotAvailable, "\(resourceURL.path): no such sound file")
        }
        return state.withLock { state in
            state.lastSound += 1
            state.sounds[state.lastSound] = RegisteredSound(url: resourceURL, options)
            return state.lastSound
        }
    }

    /// Removes a registered sound.
    ///
    /// - Throws: `invalidAudioResource` if no sound has this number.
    public func unregisterAudioResource(_ resourceID: CHHapticAudioResourceID) throws {
        guard state.withLock({ $0.sounds.removeValue(forKey: resourceID) }) != nil else {
            throw HapticError(.invalidAudioResource, "sound \(resourceID) is not registered")
        }
    }
}

extension EngineCore {
    /// Plays a pattern once, starting immediately.
    ///
    /// - Parameter file: the AHAP file of the pattern; nil if there is no file.
    func play(_ pattern: HapticPattern, in file: URL? = nil) throws(HapticError) {
        // The app has no reference to this player, so the player plays to its end.
        let player = try EnginePlayer(
            pattern, in: file, endless: .limited, of: self, keeping: nil)
        try start()
        try player.start(atTime: CHHapticTimeImmediate)
    }
}
