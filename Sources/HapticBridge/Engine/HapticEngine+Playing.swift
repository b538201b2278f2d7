// Players of an engine, patterns that are played without a player, and sounds.

import AHAP
import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns

extension HapticEngine {
    /// Makes a player of a pattern. The engine need not be running yet.
    ///
    /// - Throws: `invalidAudioResource` for a sound that is not registered, or that has no name.
    public func makePlayer(with pattern: CHHapticPattern) throws
        -> any HapticPatternPlayer & Sendable
    {
        try makeEnginePlayer(with: pattern)
    }

    /// Makes a player that can pause, resume, seek, loop, and play faster or slower.
    ///
    /// - Throws: the errors of ``makePlayer(with:)``.
    public func makeAdvancedPlayer(
        with pattern: CHHapticPattern
    ) throws -> any HapticAdvancedPatternPlayer & Sendable {
        try makeEnginePlayer(with: pattern)
    }

    /// Makes a player of a file that is played once: its events without an end last for 30 s.
    package func makeFilePlayer(
        with pattern: CHHapticPattern
    ) throws(HapticError) -> any HapticAdvancedPatternPlayer & Sendable {
        try EnginePlayer(
            pattern.value, in: pattern.file, endless: .limited, of: core, keeping: self)
    }

    private func makeEnginePlayer(with pattern: CHHapticPattern) throws(HapticError) -> EnginePlayer
    {
        try EnginePlayer(pattern.value, in: pattern.file, of: core, keeping: self)
    }

    /// Starts a player at an offset of its pattern in place of others, in one step: nothing is
    /// felt of the beginning, and both are not felt together.
    ///
    /// - Parameters:
    ///   - player: a player that this engine has made.
    ///   - time: the start, on the clock of ``currentTime``.
    ///   - offset: the place in the pattern, in seconds. At its end or beyond it the player is over.
    ///   - replaced: other players of this engine, which stop when this one begins.
    /// - Throws: the errors of `start(atTime:)`.
    package func start(
        _ player: any HapticAdvancedPatternPlayer, atTime time: TimeInterval,
        fromOffset offset: TimeInterval,
        replacing replaced: [any HapticAdvancedPatternPlayer] = []
    ) throws(HapticError) {
        guard let player = player as? EnginePlayer, player.core === core else {
            throw HapticError(.invalidPatternPlayer, "the player is none of this engine's")
        }
        try player.start(
            atTime: time, fromOffset: offset, replacing: replaced.compactMap { $0 as? EnginePlayer }
        )
    }

    // MARK: Patterns without a player

    /// Plays an AHAP file once, at once. Patterns that are played in this way may overlap. An event
    /// without an end lasts for 30 s, unless a stop or the release of the engine ends it earlier.
    ///
    /// If the engine is not running, it is started, which takes time.
    /// - Throws: the errors of `CHHapticPattern(contentsOf:)` and ``start()-b789``.
    public func playPattern(from url: URL) throws {
        try core.play(AHAPReader.reading(contentsOf: url).pattern, in: url)
    }

    /// Plays the bytes of an AHAP file once, at once; see ``playPattern(from:)-(URL)``.
    public func playPattern(from data: Data) throws {
        try core.play(AHAPReader.reading(data).pattern)
    }

    /// Plays a pattern once, at once; see ``playPattern(from:)-(URL)``.
    package func playPattern(_ pattern: HapticPattern) throws(HapticError) {
        try core.play(pattern)
    }

    /// Returns the parts of a pattern that the actuator does not render exactly, or not at all, such
    /// as sounds: the actuator for which the engine was last started, or a coin LRA before that.
    public func rendering(of pattern: CHHapticPattern) -> LoweringReport {
        let profile = core.state.withLock { $0.profile }
        return HapticCompiler.compile(pattern.value, profile: profile).report
    }

    // MARK: Sounds

    /// Registers a sound file for audio events. It is heard if the program has installed sound.
    ///
    /// - Parameters:
    ///   - resourceURL: the file, which must exist.
    ///   - options: whether the volume follows the envelope of the event, true if left out, and
    ///     whether the sound repeats, false if left out, by
    ///     ``CHHapticAudioResourceKeyUseVolumeEnvelope`` and
    ///     ``CHHapticAudioResourceKeyLoopEnabled``.
    /// - Returns: the number of the sound, for
    ///   `CHHapticEvent(audioResourceID:parameters:relativeTime:)`.
    /// - Throws: `resourceNotAvailable` if there is no such file.
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
    /// Plays a pattern once, at once.
    ///
    /// - Parameter file: the AHAP file of the pattern; nil if there is none.
    func play(_ pattern: HapticPattern, in file: URL? = nil) throws(HapticError) {
        // The player is released at once, and therefore plays to its end.
        let player = try EnginePlayer(
            pattern, in: file, endless: .limited, of: self, keeping: nil)
        try start()
        try player.start(atTime: CHHapticTimeImmediate)
    }
}
