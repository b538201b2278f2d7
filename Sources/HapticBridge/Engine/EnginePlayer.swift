// EnginePlayer: the one kind of player that there is, behind both protocols.

import AHAP
import HapticCompiler

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A player of an engine, which knows it by number.
final class EnginePlayer: HapticAdvancedPatternPlayer, Sendable {
    private struct Settings {
        var isMuted = false
        var loopEnabled = false
        var loopEnd: TimeInterval = 0
        var playbackRate: Float = 1
        /// The run of the engine in which the board's side knows it; 0: none.
        var run = 0

        var loop: PlayerCommand { .setLoop(loopEnabled, end: Microseconds(seconds: loopEnd)) }
    }

    private let id: PlayerID
    private let core: EngineCore
    /// What stays as long as the app has the player.
    private let engine: HapticEngine?
    private let pattern: HapticPattern
    private let endless: PatternVoice.EndlessEvents
    /// The resets that the engine had been through when this was made.
    private let resets: Int
    private let settings = Guarded(Settings())

    /// - Parameters:
    ///   - endless: what becomes of events without an end.
    ///   - engine: is not released before the player; nil if the app does not have the player.
    /// - Throws: `invalidAudioResource` for a sound that is not registered, or not named.
    init(
        _ pattern: HapticPattern, endless: PatternVoice.EndlessEvents = .unlimited,
        of core: EngineCore, keeping engine: HapticEngine?
    ) throws {
        let sounds = core.state.withLock { $0.sounds }
        for event in pattern.events { try event.checkSound { sounds[$0] != nil } }
        (id, resets) = core.state.withLock { state in
            state.lastPlayer += 1
            return (PlayerID(number: state.lastPlayer), state.resets)
        }
        self.core = core
        self.engine = engine
        self.pattern = pattern
        self.endless = endless
    }

    deinit { core.release(id) }

    // MARK: HapticPatternPlayer

    func start(atTime time: TimeInterval) throws {
        try perform(.start(at: try .checked(time)))
    }

    func stop(atTime time: TimeInterval) throws { try perform(.stop(at: try .checked(time))) }

    func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
    {
        let parameters = try AHAPReader.reading(parameters.map { try $0.entry() }).pattern
            .parameters
        try perform(.send(parameters, at: try .checked(time)))
    }

    func scheduleParameterCurve(_ curve: CHHapticParameterCurve, atTime time: TimeInterval) throws {
        let curves = try AHAPReader.reading([curve.entry()]).pattern.curves
        for curve in curves { try perform(.schedule(curve, at: try .checked(time))) }
    }

    func cancel() throws { try perform(.cancel) }

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

    func pause(atTime time: TimeInterval) throws { try perform(.pause(at: try .checked(time))) }

    func resume(atTime time: TimeInterval) throws { try perform(.resume(at: try .checked(time))) }

    func seek(toOffset offsetTime: TimeInterval) throws {
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

    /// A day, as long as a pattern may be.
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

    /// Waits until it does not play.
    func waitUntilOver() async throws {
        try await core.wait { [core, id] in
            core.join($0, untilEndOf: id)
        } cancel: { [core, id] in
            core.cancel($0, untilEndOf: id)
        }
    }

    // MARK: The board's side

    /// Keeps a setting, and passes it on if the board's side knows this player: in the order in which
    /// they are kept.
    private func set(_ change: (inout Settings) -> PlayerCommand) {
        settings.withLock { settings in
            let command = change(&settings)
            core.pass([command], to: id, inRun: settings.run)
        }
    }

    private func perform(_ command: PlayerCommand) throws {
        if case .start = command, core.state.withLock({ $0.isShutDown }) { try core.start() }
        try settings.withLock { settings in
            var commands: [PlayerCommand]
            repeat {
                let run = try core.presentRun(ofPlayerSince: resets)
                commands = introduction(settings, in: run) + [command]
                settings.run = run
            } while !core.pass(commands, to: id, inRun: settings.run)
        }
    }

    /// What the board's side must be told before a command, in a run of the engine.
    private func introduction(_ settings: Settings, in run: Int) -> [PlayerCommand] {
        guard settings.run != run else { return [] }
        var voice = PlayerVoice(pattern, endless: endless)
        voice.isMuted = settings.isMuted
        voice.setRate(Double(settings.playbackRate))
        voice.setLoop(settings.loopEnabled, end: Microseconds(seconds: settings.loopEnd))
        return [.add(voice)]
    }
}
