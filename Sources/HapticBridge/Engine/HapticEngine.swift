// HapticEngine: Core Haptics' engine, on a board.

import Foundation
import HapticBoards
import SerialPorts

/// The Core Haptics name of ``HapticEngine``.
public typealias CHHapticEngine = HapticEngine

/// Plays patterns on a board. An engine manages the connection, its players, and the events that
/// concern them.
///
/// For example:
///
///     guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else { return }
///     let engine = try CHHapticEngine()
///     try engine.start()
///     let player = try engine.makePlayer(with: pattern)
///     try player.start(atTime: CHHapticTimeImmediate)
///
/// Everything is felt on the actuators at the engine's ``locality`` that can play. The engine stops
/// when the app releases it.
///
/// Engines and players may be used from any thread. Any number of engines may run at the same time,
/// on the same actuators too, where what they play is mixed. Each is muted and stopped by itself.
///
/// A task that reads ``events`` learns of resets, faults, the loss of the board and stops on its own
/// actor. Handlers, which code for Core Haptics sets, are called in order, one at a time, on a queue of
/// the engine and never on the main thread. They may call every method, and they are released on the
/// same queue; one that refers strongly to the engine keeps it running. As in Core Haptics, their types
/// do not express on which thread they are called: a handler that uses state of the main actor has to
/// switch to the main actor itself. Methods throw ``HapticError``.
public final class HapticEngine: Sendable, Hashable {
    /// The reasons why an engine stops by itself, with Core Haptics' raw values.
    public enum StoppedReason: Int, Sendable, CaseIterable {
        /// Never reported, because there is no audio session.
        case audioSessionInterrupt = 1
        /// The program or the computer stood still for more than 0.25 s, so that the process that
        /// serves the board gave up its players. An engine can be started again at once.
        case applicationSuspended = 2
        /// Nothing was playing for a while, and ``HapticEngine/isAutoShutdownEnabled`` is set.
        case idleTimeout = 3
        /// The handler of ``HapticEngine/notifyWhenPlayersFinished(finishedHandler:)`` requested
        /// the stop.
        case notifyWhenFinished = 4
        /// The engine was released while it was running.
        case engineDestroyed = 5
        /// Never reported, because the loss of a board is reported as ``systemError``.
        case gameControllerDisconnect = 6
        /// The board was unplugged, has stopped answering or can no longer play.
        case systemError = -1
    }

    /// The action of an engine whose players are all over.
    public enum FinishedAction: Int, Sendable, CaseIterable {
        /// The engine stops.
        case stopEngine = 1
        /// The engine keeps running.
        case leaveEngineRunning = 2
    }

    /// A handler that is called when an asynchronous operation is done, with nil or with the reason
    /// why it failed, on a queue of the engine and never on the main thread.
    public typealias CompletionHandler = ((any Error)?) -> Void
    /// A handler that is called when the board was reset and has returned, on a queue of the engine and
    /// never on the main thread.
    public typealias ResetHandler = () -> Void
    /// A handler that is called when the engine has stopped by itself, on a queue of the engine and
    /// never on the main thread.
    public typealias StoppedHandler = (StoppedReason) -> Void
    /// A handler that is called when all players are over, on a queue of the engine and never on the
    /// main thread, and decides whether the engine stops.
    public typealias FinishedHandler = ((any Error)?) -> FinishedAction

    /// Returns the capabilities of this computer's board, as far as they can be determined without
    /// opening its port.
    public static func capabilitiesForHardware() -> any HapticDeviceCapability {
        BoardCapability.present()
    }

    let core: EngineCore
    /// The queue through which generators of feedback play on the engine.
    let feedback: FeedbackQueue
    /// The locality on the board at which the engine is felt.
    public var locality: HapticLocality { core.locality }
    /// The state of the engine, which tests examine.
    var state: LockedValue<EngineState> { core.state }

    /// Makes an engine for the board that `BRIDGE_PORT` names, or else for the only board that
    /// answers when the engine is started.
    ///
    /// - Throws: `notSupported` if there is no port with a board.
    public convenience init() throws {
        guard Self.capabilitiesForHardware().supportsHaptics else {
            throw HapticError(.notSupported, Self.absence)
        }
        self.init(device: .automatic)
    }

    /// The reason why there is no board, as far as it can be determined without opening a port.
    private static var absence: String {
        if let path = BoardSearch.environmentPort {
            return "no board: \(path), which \(BoardSearch.portVariable) names, does not exist or "
                + "may not be opened; `bridge list` shows the ports"
        }
        guard let ports = try? Computer().ports(openFiles: false) else {
            return "no board: no ports are listed"
        }
        return BoardSearchError(answers: [], ports: ports).description
    }

    /// Makes an engine as ``init()`` does, for code that passes an audio session. There are no
    /// audio sessions here, so nil is the only possible value.
    ///
    /// - Throws: the errors of ``init()``.
    public convenience init(audioSession: Never?) throws { try self.init() }

    /// Makes an engine for a board that is connected when the engine is started.
    ///
    /// - Parameters:
    ///   - device: the board.
    ///   - locality: the locality at which the engine is felt. A board that has nothing there is
    ///     refused at the start.
    public init(device: HapticDevice, locality: HapticLocality = .default) {
        core = EngineCore(device: device, locality: locality)
        feedback = FeedbackQueue(core)
    }

    deinit { core.destroy() }

    /// Returns whether both are the same engine.
    public static func == (left: HapticEngine, right: HapticEngine) -> Bool { left === right }

    /// Hashes the identity of the engine.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// True if the engine has been started and its board is present, so that players play at once.
    public var isRunning: Bool { core.isRunning }

    /// True if another program serves the board of the running engine; false if this program has the
    /// board's port itself, nil while the engine does not run. ``HapticDevice/served(by:)`` decides it.
    public var isServedByAnotherProgram: Bool? {
        state.withLock { state in
            state.run == .running ? state.mailbox?.isServedElsewhere.withLock { $0 } : nil
        }
    }

    /// The error because of which the engine does not run: that of its last start, or of the stop that
    /// ``stoppedHandler`` reported; nil if it runs, or was asked to stop.
    package var failure: HapticError? { state.withLock { $0.failure } }

    /// The board on which the engine was last started; nil before that, and for a preview.
    package var board: StartedBoard? { state.withLock { $0.board } }

    /// The time of the engine's clock, in seconds. The clock never stops or goes back.
    public var currentTime: TimeInterval { Link.now().seconds }

    /// Returns an instant of Swift's clock as a time of the engine's, for players. Both clocks are that of
    /// the computer, which continues while it sleeps.
    ///
    ///     try player.start(atTime: engine.time(of: .now + .milliseconds(200)))
    public func time(of instant: ContinuousClock.Instant) -> TimeInterval {
        time(after: ContinuousClock.now.duration(to: instant))
    }

    /// Returns the time of the engine's that comes after a duration, or lies before the present one.
    func time(after duration: Duration) -> TimeInterval { currentTime + duration / .seconds(1) }

    // MARK: Handlers

    /// A handler that is called after the board was reset, when it has answered again and is at
    /// rest. Start the engine then, register sounds and make players again; patterns and the
    /// engine's properties are kept.
    ///
    /// The handler is called on a queue of the engine and never on the main thread. A task on any actor
    /// learns of resets by ``events``.
    public var resetHandler: ResetHandler {
        get { state.withLock { $0.resetHandler.call } }
        set {
            core.change { state in
                state.discarded.append(state.resetHandler)
                state.resetHandler = Handler(newValue)
            }
        }
    }

    /// A handler that is called when the engine has stopped for another reason than a call of
    /// ``stop(completionHandler:)``, on a queue of the engine and never on the main thread. A task on any
    /// actor learns of stops by ``events``.
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

    /// True if the engine stops when nothing has played for two minutes. The start of a player then
    /// starts the engine again, which takes time. False at first.
    public var isAutoShutdownEnabled: Bool {
        get { state.withLock { $0.isAutoShutdownEnabled } }
        set {
            state.withLock { state in
                state.isAutoShutdownEnabled = newValue
                state.mailbox?.post(.shutDown(afterIdle: state.idleTimeout))
            }
        }
    }

    /// True if audio events are left out, so that patterns with sound start as fast as others. False
    /// at first; takes effect for players that are made afterwards, and at the next start.
    public var playsHapticsOnly: Bool {
        get { state.withLock { $0.playsHapticsOnly } }
        set { state.withLock { $0.playsHapticsOnly = newValue } }
    }

    /// True if haptic events are left out, so that nothing is felt. False at first; takes effect at
    /// once.
    public var playsAudioOnly: Bool {
        get { state.withLock { $0.playsAudioOnly } }
        set { setMuted { $0.playsAudioOnly = newValue } }
    }

    /// True if the engine is muted, so that nothing is felt although players continue. False at
    /// first; takes effect at once.
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

    /// True if audio is muted, so that nothing is heard although players continue. False at first;
    /// takes effect at once.
    public var isMutedForAudio: Bool {
        get { core.sound.isMuted }
        set { core.sound.isMuted = newValue }
    }
}
