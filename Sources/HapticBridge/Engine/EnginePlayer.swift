// EnginePlayer: the one kind of player that there is, behind both protocols.

import AHAP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A player of an engine. It keeps the engine, and the engine knows it by number.
final class EnginePlayer: HapticAdvancedPatternPlayer {
    private struct Settings {
        var isMuted = false
        var loopEnabled = false
        var loopEnd: TimeInterval = 0
        var playbackRate: Float = 1
        /// The run of the engine in which the board's side knows it; 0: none.
        var run = 0
    }

    let id: PlayerID
    private let engine: HapticEngine
    private let pattern: HapticPattern
    /// The resets that the engine had been through when this was made.
    private let resets: Int
    private let settings = Guarded(Settings())

    init(_ pattern: HapticPattern, id: PlayerID, resets: Int, engine: HapticEngine) {
        self.pattern = pattern
        self.id = id
        self.resets = resets
        self.engine = engine
    }

    // The last reference may go while the engine holds its state.
    deinit { engine.callbacks.async { [engine, id] in engine.release(id) } }

    // MARK: HapticPatternPlayer

    func start(atTime time: TimeInterval) throws {
        try perform(.start(at: try .checked(time)))
    }

    func stop(atTime time: TimeInterval) throws { try perform(.stop(at: try .checked(time))) }

    func sendParameters(_ parameters: [HapticDynamicParameter], atTime time: TimeInterval) throws {
        for parameter in parameters { try parameter.check() }
        try perform(.send(parameters, at: try .checked(time)))
    }

    func scheduleParameterCurve(_ curve: HapticParameterCurve, atTime time: TimeInterval) throws {
        try curve.check()
        try perform(.schedule(curve, at: try .checked(time)))
    }

    func cancel() throws { try perform(.cancel) }

    var isMuted: Bool {
        get { settings.withLock { $0.isMuted } }
        set { set(.setMuted(newValue)) { $0.isMuted = newValue } }
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
            let end = settings.withLock { $0.loopEnd }
            set(.setLoop(newValue, end: Microseconds(seconds: end))) { $0.loopEnabled = newValue }
        }
    }

    var loopEnd: TimeInterval {
        get { settings.withLock { $0.loopEnd } }
        set {
            let end = newValue.isFinite ? max(newValue, 0) : 0
            set(.setLoop(loopEnabled, end: Microseconds(seconds: end))) { $0.loopEnd = end }
        }
    }

    var playbackRate: Float {
        get { settings.withLock { $0.playbackRate } }
        set {
            guard newValue.isFinite, newValue > 0 else { return }
            set(.setRate(Double(newValue))) { $0.playbackRate = newValue }
        }
    }

    var completionHandler: HapticAdvancedPatternPlayerCompletionHandler {
        get { engine.completionHandler(of: id) ?? { _ in } }
        set { engine.setCompletionHandler(newValue, of: id) }
    }

    // MARK: The board's side

    /// Keeps a setting, and passes it on if the board's side knows this player.
    private func set(_ command: PlayerCommand, _ change: (inout Settings) -> Void) {
        let run = settings.withLock { settings in
            change(&settings)
            return settings.run
        }
        engine.pass(command, to: id, ofRun: run)
    }

    private func perform(_ command: PlayerCommand) throws {
        try engine.perform(command, by: self, resets: resets)
    }

    /// What the board's side must be told before a command, in a run of the engine.
    func introduction(in run: Int) -> [PlayerCommand] {
        settings.withLock { settings in
            guard settings.run != run else { return [] }
            settings.run = run
            var voice = PlayerVoice(pattern)
            voice.isMuted = settings.isMuted
            voice.setRate(Double(settings.playbackRate))
            voice.setLoop(settings.loopEnabled, end: Microseconds(seconds: settings.loopEnd))
            return [.add(voice)]
        }
    }
}
