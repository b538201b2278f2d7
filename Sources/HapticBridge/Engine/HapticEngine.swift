// HapticEngine: Core Haptics' engine on a board.

import AHAP
import BridgeLink

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Core Haptics' spelling.
public typealias CHHapticEngine = HapticEngine

/// Plays patterns on a board: the connection, its players, and what happens to them.
///
/// For example:
///
///     guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else { return }
///     let engine = try CHHapticEngine()
///     engine.resetHandler = { [weak engine] in try? engine?.start() }
///     try engine.start()
///     let player = try engine.makePlayer(with: pattern)
///     try player.start(atTime: CHHapticTimeImmediate)
///
/// Everything is felt on the actuators at the engine's ``locality`` that can play. The engine stops
/// when the app lets go of it: a handler that keeps it keeps it running.
///
/// Engines and players may be used from any thread, and several engines at once: each with a board
/// of its own, or with actuators of its own on a board that plays several streams. Handlers are
/// called in order, one at a time, on a queue of the engine and never on the main thread; everything
/// may be called from inside them. They are released there too. As in Core Haptics their types do not
/// say so: a handler that uses what belongs to the main actor goes there itself.
/// Methods throw ``HapticError``.
public final class HapticEngine: Sendable, Hashable {
    /// Why an engine has stopped by itself, with Core Haptics' raw values.
    public enum StoppedReason: Int, Sendable, CaseIterable {
        /// Never given: there is no audio session here.
        case audioSessionInterrupt = 1
        /// Never given: programs are not suspended here.
        case applicationSuspended = 2
        /// Nothing played for a while, and ``HapticEngine/isAutoShutdownEnabled`` is set.
        case idleTimeout = 3
        /// The handler of ``HapticEngine/notifyWhenPlayersFinished(finishedHandler:)`` asked for it.
        case notifyWhenFinished = 4
        /// The engine is gone while it was running.
        case engineDestroyed = 5
        /// Never given: a board that is gone is a ``systemError``.
        case gameControllerDisconnect = 6
        /// The board was unplugged, does not answer or cannot play any more.
        case systemError = -1
    }

    /// What becomes of an engine whose players are all over.
    public enum FinishedAction: Int, Sendable, CaseIterable {
        /// It stops.
        case stopEngine = 1
        /// It goes on.
        case leaveEngineRunning = 2
    }

    /// Told that something asynchronous is done: nil, or why it failed.
    public typealias CompletionHandler = ((any Error)?) -> Void
    /// Told that the board was reset and is there again.
    public typealias ResetHandler = () -> Void
    /// Told that the engine has stopped by itself.
    public typealias StoppedHandler = (StoppedReason) -> Void
    /// Told that all players are over; says what becomes of the engine.
    public typealias FinishedHandler = ((any Error)?) -> FinishedAction

    /// What the board of this computer can do, as far as can be told without touching its port.
    public static func capabilitiesForHardware() -> any HapticDeviceCapability {
        BoardCapability.present()
    }

    let core: EngineCore
    /// Generators play on it from here.
    let feedback: FeedbackQueue
    /// Where on the board it is felt.
    public var locality: HapticLocality { core.locality }
    /// What it knows; tests look at it.
    var state: Guarded<EngineState> { core.state }

    /// Makes an engine for the board that `BRIDGE_PORT` names, or else the only one that answers
    /// when the engine is started.
    ///
    /// - Throws: `notSupported` if there is no port with a board on it.
    public convenience init() throws {
        guard Self.capabilitiesForHardware().supportsHaptics else {
            throw HapticError(.notSupported, Self.absence)
        }
        self.init(device: .automatic)
    }

    /// Why there is no board, as far as can be told without opening a port.
    private static var absence: String {
        if let path = BoardSearch.environmentPort {
            return "no board: \(path), which \(BoardSearch.portVariable) names, does not exist or "
                + "may not be opened; `bridge list` shows the ports"
        }
        guard let ports = try? BoardSearch.ports() else { return "no board: no ports are listed" }
        return BoardSearchError(answers: [], ports: ports).description
    }

    /// Makes an engine as ``init()`` does, for code that gives no audio session: there is none here,
    /// and nil is the only value.
    ///
    /// - Throws: as ``init()``.
    public convenience init(audioSession: Never?) throws { try self.init() }

    /// Makes an engine for a board that is connected to when the engine is started.
    ///
    /// - Parameters:
    ///   - device: the board.
    ///   - locality: where it is felt. A board that has nothing there is refused then.
    public convenience init(device: HapticDevice, locality: HapticLocality = .default) {
        self.init(device: device, locality: locality, givesWay: false)
    }

    init(device: HapticDevice, locality: HapticLocality, givesWay: Bool) {
        core = EngineCore(device: device, locality: locality, givesWay: givesWay)
        feedback = FeedbackQueue(core)
    }

    deinit { core.destroy() }

    /// Whether they are the same engine.
    public static func == (left: HapticEngine, right: HapticEngine) -> Bool { left === right }

    /// Hashes which engine it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether it is started and its board is there: players play at once.
    public var isRunning: Bool { core.isRunning }

    /// The engine's clock in seconds: a clock that never stands still or goes back.
    public var currentTime: TimeInterval { Link.now().seconds }

    // MARK: Handlers

    /// Called when the board was reset, has answered again, and is at rest. Start the engine then,
    /// register sounds and make players anew; patterns and the engine's properties stay.
    public var resetHandler: ResetHandler {
        get { state.withLock { $0.resetHandler.call } }
        set {
            core.change { state in
                state.discarded.append(state.resetHandler)
                state.resetHandler = Handler(newValue)
            }
        }
    }

    /// Called when the engine has stopped for another reason than a call of
    /// ``stop(completionHandler:)``.
    public var stoppedHandler: StoppedHandler {
        get { state.withLock { $0.stoppedHandler.call } }
        set {
            core.change { state in
                state.discarded.append(state.stoppedHandler)
                state.stoppedHandler = Handler(newValue)
            }
        }
    }

    // MARK: Properties

    /// Whether the engine stops when nothing has played for two minutes; a player's start then
    /// starts it again, which takes time. False at first.
    public var isAutoShutdownEnabled: Bool {
        get { state.withLock { $0.isAutoShutdownEnabled } }
        set {
            state.withLock { state in
                state.isAutoShutdownEnabled = newValue
                state.mailbox?.post(.shutDown(afterIdle: state.idleTimeout))
            }
        }
    }

    /// Whether audio events are left out, as they always are here. False at first; kept for code
    /// that sets it.
    public var playsHapticsOnly: Bool {
        get { state.withLock { $0.playsHapticsOnly } }
        set { state.withLock { $0.playsHapticsOnly = newValue } }
    }

    /// Whether haptic events are left out: then nothing is felt, as no sound is played either. False
    /// at first; takes effect at once.
    public var playsAudioOnly: Bool {
        get { state.withLock { $0.playsAudioOnly } }
        set { setMuted { $0.playsAudioOnly = newValue } }
    }

    /// Whether nothing is felt, though players go on. False at first; takes effect at once.
    public var isMutedForHaptics: Bool {
        get { state.withLock { $0.isMutedForHaptics } }
        set { setMuted { $0.isMutedForHaptics = newValue } }
    }

    private func setMuted(_ change: (inout EngineState) -> Void) {
        state.withLock { state in
            change(&state)
            state.mailbox?.post(.mute(state.isMuted))
        }
    }

    /// Whether nothing is heard, which is always so here. False at first.
    public var isMutedForAudio: Bool {
        get { state.withLock { $0.isMutedForAudio } }
        set { state.withLock { $0.isMutedForAudio = newValue } }
    }
}
