// EnginePlayer: the player class of both player protocols.

import AHAP
import BoardEngine
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns
import SerialPorts

/// A player of an engine. The engine identifies the player by its number.
final class EnginePlayer: HapticAdvancedPatternPlayer, Sendable {
    private struct Settings {
        var isMuted = false
        var loopEnabled = false
        var loopEnd: TimeInterval = 0
        var playbackRate: Float = 1
        /// The number of the engine run during which this player was sent to the board's thread; 0
        /// if the player has not been sent.
        var run = 0

        var loop: PlayerCommand { .setLoop(loopEnabled, end: Microseconds(seconds: loopEnd)) }
    }

    let id: PlayerID
    let core: EngineCore
    /// The engine, which the player retains; nil if the app does not retain the player.
    private let engine: HapticEngine?
    private let pattern: HapticPattern
    private let endless: PatternVoice.EndlessEvents
    /// The number of resets of the engine before the player was created.
    private let resets: Int
    private let settings = LockedValue(Settings())

    /// Creates a player of a pattern.
    ///
    /// - Parameters:
    ///   - file: the AHAP file of the pattern, whose folder contains its sounds; nil if there is no
    ///     file.
    ///   - endless: the rule for events without an end.
    ///   - engine: the engine, which the player retains; nil if the app does not retain the player.
    /// - Throws: `invalidAudioResource` for a sound that is not registered, has no name or cannot
    ///   be read; `resourceNotAvailable` for a missing sound file. An engine that plays only
    ///   haptics does not check sounds.
    init(
        _ pattern: HapticPattern, in file: URL? = nil,
        endless: PatternVoice.EndlessEvents = .unlimited,
        of core: EngineCore, keeping engine: HapticEngine?
    ) throws(HapticError) {
        let (isSilent, sounds) = core.state.withLock { ($0.playsHapticsOnly, $0.sounds) }
        if !isSilent {
            for event in pattern.events { try event.checkSound { sounds[$0] != nil } }
        }
        let sounded = try core.sounds(of: pattern, in: file)
        (id, resets) = core.state.withLock { state in
            state.lastPlayer += 1
            return (PlayerID(number: state.lastPlayer), state.resets)
        }
        self.core = core
        self.engine = engine
        self.pattern = sounded?.pattern ?? pattern
        self.endless = endless
        if let sounded { core.sound.add(sounded.voice, of: id) }
    }

    deinit { core.release(id) }

    // MARK: HapticPatternPlayer

    func start(atTime time: TimeInterval) throws(HapticError) {
        try perform(.start(at: try .checked(time)))
    }

    /// Plays the pattern from an offset, in seconds.
    ///
    /// - Parameter replaced: the players that stop when this player begins.
    func start(
        atTime time: TimeInterval, fromOffset offset: TimeInterval,
        replacing replaced: [EnginePlayer] = []
    ) throws(HapticError) {
        try perform(
            .start(at: try .checked(time), from: try .checked(offset)),
            replacing: replaced.map(\.id))
    }

    func stop(atTime time: TimeInterval) throws(HapticError) {
        try perform(.stop(at: try .checked(time)))
    }

    func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval)
        throws(HapticError)
    {
        let entries = try parameters.map { parameter throws(HapticError) in try parameter.entry() }
        let parameters = try AHAPReader.reading(entries).pattern.parameters
        try perform(.send(parameters, at: try .checked(time)))
    }

    func scheduleParameterCurve(_ curve: CHHapticParameterCurve, atTime time: TimeInterval)
        throws(HapticError)
    {
        let curves = try AHAPReader.reading([curve.entry()]).pattern.curves
        for curve in curves { try perform(.schedule(curve, at: try .checked(time))) }
    }

    func cancel() throws(HapticError) { try perform(.cancel) }

    var isMuted: Bool {
        get { settings.withLock { $0.isMuted } }
        set {
            set { settings in
                settings.isMuted = newValue
                return .setMuted(newValue)
            }
        }
    }

    // MARK: HapticAdvancedPatternPlayer

    func pause(atTime time: TimeInterval) throws(HapticError) {
        try perform(.pause(at: try .checked(time)))
    }

    func resume(atTime time: TimeInterval) throws(HapticError) {
        try perform(.resume(at: try .checked(time)))
    }

    func seek(toOffset offsetTime: TimeInterval) throws(HapticError) {
        try perform(.seek(offset: try .checked(offsetTime)))
    }

    var loopEnabled: Bool {
        get { settings.withLock { $0.loopEnabled } }
        set {
            set { settings in
                settings.loopEnabled = newValue
                return settings.loop
            }
        }
    }

    var loopEnd: TimeInterval {
        get { settings.withLock { $0.loopEnd } }
        set {
            guard !newValue.isNaN else { return }
            set { settings in
                settings.loopEnd = min(max(newValue, 0), Self.loopEndMax)
                return settings.loop
            }
        }
    }

    /// The maximum end of a loop in seconds: one day, which is also the maximum length of a
    /// pattern.
    private static let loopEndMax: TimeInterval = 86_400

    var playbackRate: Float {
        get { settings.withLock { $0.playbackRate } }
        set {
            guard !newValue.isNaN else { return }
            let rates = PlayerClock.rates
            let rate = min(max(newValue, Float(rates.lowerBound)), Float(rates.upperBound))
            set { settings in
                settings.playbackRate = rate
                return .setRate(Double(rate))
            }
        }
    }

    var completionHandler: HapticAdvancedPatternPlayerCompletionHandler {
        get { core.completionHandler(of: id)?.call ?? { _ in } }
        set { core.setCompletionHandler(Handler(newValue), of: id) }
    }

    /// Waits until the player is not playing.
    func waitUntilOver() async throws {
        try await core.wait { [core, id] in
            core.join($0, untilEndOf: id)
        } cancel: { [core, id] in
            core.cancel($0, untilEndOf: id)
        }
    }

    // MARK: The board's thread

    /// Stores a setting, and sends it to the board's thread if that thread has this player.
    /// Settings are sent in the order in which they are stored.
    private func set(_ change: (inout Settings) -> PlayerCommand) {
        settings.withLock { settings in
            let command = change(&settings)
            core.pass([command], to: id, inRun: settings.run)
        }
    }

    private func perform(_ command: PlayerCommand, replacing replaced: [PlayerID] = [])
        throws(HapticError)
    {
        if case .start = command, core.state.withLock({ $0.isShutDown }) { try core.start() }
        guard core.voices.withLock({ $0.players[id]?.voice.hasRoom(for: command) }) != false else {
            throw HapticError(
                .memoryError,
                "more than \(PlayerVoice.waitingMax) parameters and control points, or "
                    + "\(PlayerVoice.changesMax) starts and stops, would be scheduled for one "
                    + "player; send each one closer to its time")
        }
        try settings.withLock { settings throws(HapticError) in
            var all: [PlayerCommand]
            repeat {
                let run = try core.presentRun(ofPlayerSince: resets)
                all = introduction(settings, in: run) + [delayed(command)]
                settings.run = run
            } while !core.pass(all, to: id, inRun: settings.run, replacing: replaced)
        }
    }

    /// Returns the command. If necessary, delays the start in the command until the player's sounds
    /// or the voice coils can start at the same time.
    private func delayed(_ command: PlayerCommand) -> PlayerCommand {
        guard case .start(let time, let offset) = command,
            core.sound.hasSounds(id) || core.coils != nil
        else { return command }
        return .start(at: max(time, core.earliestSound(at: Link.now())), from: offset)
    }

    /// Returns the commands that must precede the next command so that the board's thread has this
    /// player in a given run of the engine.
    private func introduction(_ settings: Settings, in run: Int) -> [PlayerCommand] {
        guard settings.run != run else { return [] }
        var voice = PlayerVoice(pattern, endless: endless)
        voice.isMuted = settings.isMuted
        voice.setRate(Double(settings.playbackRate))
        voice.setLoop(settings.loopEnabled, end: Microseconds(seconds: settings.loopEnd))
        return [.add(voice)]
    }
}
