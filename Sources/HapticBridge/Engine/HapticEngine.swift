// HapticEngine: an engine with Core Haptics' interface that plays on a board.

import Foundation
import HapticBoards
import SerialPorts

/// The Core Haptics name of ``HapticEngine``.
public typealias CHHapticEngine = HapticEngine

/// An engine that plays patterns on a board. The engine manages the connection to the board, the
/// players, and the events of the players.
///
/// For example:
///
///     guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else { return }
///     let engine = try CHHapticEngine()
///     try engine.start()
///     let player = try engine.makePlayer(with: pattern)
///     try player.start(atTime: CHHapticTimeImmediate)
///
/// The engine plays on all usable actuators at its ``locality``. The engine stops when the app
/// releases the engine.
///
/// Engines and players may be used from any thread. Any number of engines may run at the same time,
/// even on the same actuators, where their patterns are mixed. Each engine is muted and stopped
/// separately.
///
/// A task that reads ``events`` receives resets, faults, the loss of the board and stops on its own
/// actor. The handlers that code for Core Haptics sets are called in order, one at a time, on a
/// queue of the engine and never on the main thread. A handler may call every method, and is
/// released on the same queue. A handler with a strong reference to the engine keeps the engine
/// running. As in Core Haptics, the types of handlers do not state the thread on which the handlers
/// are called, so a handler that uses state of the main actor must switch to the main actor itself.
/// Methods throw ``HapticError``.
public final class HapticEngine: Sendable, Hashable {
    /// The reason why an engine stopped without a call of
    /// ``HapticEngine/stop(completionHandler:)``, with Core Haptics' raw values.
    public enum StoppedReason: Int, Sendable, CaseIterable {
        /// This reason is never reported, because there are no audio sessions on this platform.
        case audioSessionInterrupt = 1
        /// The program or the computer was suspended for more than 0.25 s, so the process that
        /// serves the board discarded the players. The engine can be started again immediately.
        case applicationSuspended = 2
        /// Nothing was playing for two minutes, and ``HapticEngine/isAutoShutdownEnabled`` is true.
        case idleTimeout = 3
        /// The handler of ``HapticEngine/notifyWhenPlayersFinished(finishedHandler:)`` requested
        /// the stop.
        case notifyWhenFinished = 4
        /// The engine was released while it was running.
        case engineDestroyed = 5
        /// Never reported. If a board is lost, the reason is ``systemError``.
        case gameControllerDisconnect = 6
        /// The board was unplugged, has stopped answering or can no longer play.
        case systemError = -1
    }

    /// The action that an engine takes after all its players have ended.
    public enum FinishedAction: Int, Sendable, CaseIterable {
        /// The engine stops.
        case stopEngine = 1
        /// The engine keeps running.
        case leaveEngineRunning = 2
    }

    /// A handler that is called when an asynchronous operation has finished, with nil or the reason
    /// why the operation failed. The handler is called on a queue of the engine and never on the
    /// main thread.
    public typealias CompletionHandler = ((any Error)?) -> Void
    /// A handler that is called when the board was reset and has answered again. The handler is
    /// called on a queue of the engine and never on the main thread.
    public typealias ResetHandler = () -> Void
    /// A handler that is called when the engine has stopped without a call of
    /// ``HapticEngine/stop(completionHandler:)``. The handler is called on a queue of the engine
    /// and never on the main thread.
    public typealias StoppedHandler = (StoppedReason) -> Void
    /// A handler that is called when all players have ended, and decides whether the engine stops.
    /// The handler is called on a queue of the engine and never on the main thread.
    public typealias FinishedHandler = ((any Error)?) -> FinishedAction

    /// Returns the capabilities of this computer's board that can be determined without opening its
    /// port.
    public static func capabilitiesForHardware() -> any HapticDeviceCapability {
        BoardCapability.present()
    }

    let core: EngineCore
    /// The queue through which feedback generators play on the engine.
    let feedback: FeedbackQueue
    /// The locality of the board at which the engine plays.
    public var locality: HapticLocality { core.locality }
    /// The state of the engine, for tests.
    var state: LockedValue<EngineState> { core.state }

    /// Creates an engine for the board that `BRIDGE_PORT` names, or otherwise for the only board
    /// that answers when the engine is started.
    ///
    /// - Throws: `notSupported` if no port can belong to a board.
    public convenience init() throws {
        guard Self.capabilitiesForHardware().supportsHaptics else {
            throw HapticError(.notSupported, Self.absence)
        }
        self.init(device: .automatic)
    }

    /// The reason why there is no board, if it can be determined without opening a port.
    private static var absence: String {
        if let path = BoardSearch.environmentPort {
            return "no board: \(path), which \(BoardSearch.portVariable) names, does not exist or "
                + "may not be opened; `bridge list` shows the ports"
        }
        guard let ports = try? PortEnvironment().ports(openFiles: false) else {
            return "no board: the ports of this computer cannot be listed"
        }
        return BoardSearchError(answers: [], ports: ports).description
    }

    /// Creates an engine as ``init()`` does, for code that passes an audio session. There are no
    /// audio sessions on this platform, so nil is the only possible value.
    ///
    /// - Throws: the errors of ``init()``.
    public convenience init(audioSession: Never?) throws { try self.init() }

    /// Creates an engine for a given board. The engine connects to the board when the engine is
    /// started.
    ///
    /// - Parameters:
    ///   - device: the board.
    ///   - locality: the locality at which the engine plays. Starting the engine fails if the board
    ///     has no actuator at the locality.
    public init(device: HapticDevice, locality: HapticLocality = .default) {
        core = EngineCore(device: device, locality: locality)
        feedback = FeedbackQueue(core)
    }

    deinit { core.destroy() }

    /// Returns whether two references refer to the same engine.
    public static func == (left: HapticEngine, right: HapticEngine) -> Bool { left === right }

    /// Hashes the identity of the engine.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// True if the engine has been started and its board is connected, so that players can play
    /// without starting the engine first.
    public var isRunning: Bool { core.isRunning }

    /// True if another program serves the board of the running engine; false if this program has
    /// opened the board's port itself; nil if the engine is not running.
    /// ``HapticDevice/served(by:)`` selects the program that serves the board.
    public var isServedByAnotherProgram: Bool? {
        state.withLock { state in
            state.run == .running ? state.mailbox?.isServedElsewhere.withLock { $0 } : nil
        }
    }

    /// The error of the last start, or of the stop that ``stoppedHandler`` reported; nil while the
    /// engine is running, and after a requested stop.
    package var failure: HapticError? { state.withLock { $0.failure } }

    /// The board on which the engine was last started; nil before the first start, and for a
    /// preview.
    package var board: StartedBoard? { state.withLock { $0.board } }

    /// The current time of the engine's clock, in seconds. The clock never stops or runs backwards.
    public var currentTime: TimeInterval { Link.now().seconds }

    /// Converts an instant of Swift's `ContinuousClock` to a time of the engine, for players. Both
    /// clocks continue while the computer sleeps.
    ///
    ///     try player.start(atTime: engine.time(of: .now + .milliseconds(200)))
    public func time(of instant: ContinuousClock.Instant) -> TimeInterval {
        time(after: ContinuousClock.now.duration(to: instant))
    }

    /// Returns the engine time that is a duration later than the current time, or earlier if the
    /// duration is negative.
    func time(after duration: Duration) -> TimeInterval { currentTime + duration / .seconds(1) }

    // MARK: Handlers

    /// A handler that is called after a reset of the board, when the board has answered again and
    /// is at rest. The app must then start the engine, register its sounds and create its players
    /// again; patterns and the engine's properties are preserved.
    ///
    /// The handler is called on a queue of the engine and never on the main thread. A task on any
    /// actor receives resets from ``events``.
    public var resetHandler: ResetHandler {
        get { state.withLock { $0.resetHandler.call } }
        set {
            core.change { state in
                state.discarded.append(state.resetHandler)
                state.resetHandler = Handler(newValue)
            }
        }
    }

    /// A handler that is called when the engine has stopped for any reason other than a call of
    /// ``stop(completionHandler:)``. The handler is called on a queue of the engine and never on
    /// the main thread. A task on any actor receives stops from ``events``.
    public var stoppedHandler: StoppedHandler {
        get { state.withLock { $0.stoppedHandler.call } }
        set {
            core.change { state in
                state.discarded.append(state.stoppedHandler)
                state.stoppedHandler = Handler(newValue)
            }
        }
    }

    /// A handler that is called when the board has reported faults of its driver or its actuator
    /// but continues to play. The handler is called on a queue of the engine and never on the main
    /// thread.
    package var faultsHandler: (HapticError) -> Void {
        get { state.withLock { $0.faultsHandler.call } }
        set {
            core.change { state in
                state.discarded.append(state.faultsHandler)
                state.faultsHandler = Handler { error in
                    if !error.faults.isDisjoint(with: .ofDriver) { newValue(error) }
                }
            }
        }
    }

    // MARK: Properties

    /// True if the engine stops when nothing has played for two minutes. Starting a player then
    /// takes more time, because it restarts the engine. False by default.
    public var isAutoShutdownEnabled: Bool {
        get { state.withLock { $0.isAutoShutdownEnabled } }
        set {
            state.withLock { state in
                state.isAutoShutdownEnabled = newValue
                state.mailbox?.post(.shutDown(afterIdle: state.idleTimeout))
            }
        }
    }

    /// True if audio events are omitted, so that patterns with sound start as fast as patterns
    /// without sound. False by default. A change applies to players that are created afterwards,
    /// and to the engine at the next start.
    public var playsHapticsOnly: Bool {
        get { state.withLock { $0.playsHapticsOnly } }
        set { state.withLock { $0.playsHapticsOnly = newValue } }
    }

    /// True if haptic events are omitted, so nothing is felt. False by default. A change takes
    /// effect immediately.
    public var playsAudioOnly: Bool {
        get { state.withLock { $0.playsAudioOnly } }
        set { setMuted { $0.playsAudioOnly = newValue } }
    }

    /// True if haptic output is muted; the players continue silently. False by default. A change
    /// takes effect immediately.
    public var isMutedForHaptics: Bool {
        get { state.withLock { $0.isMutedForHaptics } }
        set { setMuted { $0.isMutedForHaptics = newValue } }
    }

    private func setMuted(_ change: (inout EngineState) -> Void) {
        state.withLock { state in
            change(&state)
            state.mailbox?.post(.mute(state.isMuted))
            core.coils?.setMuted(state.isMuted)
        }
    }

    /// True if audio output is muted; the players continue silently. False by default. A change
    /// takes effect immediately.
    public var isMutedForAudio: Bool {
        get { core.sound.isMuted }
        set { core.sound.isMuted = newValue }
    }
}
