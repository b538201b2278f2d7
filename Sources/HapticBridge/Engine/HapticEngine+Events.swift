// The events of an engine, as a sequence and in the app's log.

import BridgeLink
import HapticBoards
import Logging

extension HapticEngine {
    /// An event in the life of an engine.
    public enum Event: Sendable {
        /// The engine has started, and players play from now on.
        case started
        /// The board was reset and has returned; ``HapticEngine/resetHandler`` is called too.
        case reset
        /// The board was unplugged, has stopped answering or can no longer play, for this reason.
        /// The engine stops.
        case boardLost(HapticError)
        /// The engine has stopped, for the reason that ``HapticEngine/stoppedHandler`` receives;
        /// nil if it was asked to stop.
        case stopped(StoppedReason?)
        /// The board has counted faults since its last report. The value holds all faults that it
        /// has latched.
        case faults(Faults)
        /// No other program can play on the board beside this one, nor stop it, for this reason:
        /// mostly a folder that belongs to another user, which `bridge doctor` finds.
        case unshared(String)
    }

    /// The events of the engine from now on, in order with the calls of its handlers. Each caller
    /// gets a sequence of its own, which does not keep the engine and ends with it. For a task that
    /// reads slowly, the newest 100 events are kept.
    public var events: AsyncStream<Event> { core.events() }

    /// The app's log; nil at first, so that nothing is logged.
    ///
    /// By level:
    ///
    /// - `trace`: every frame to and from the board, once the board has answered. Frames are logged
    ///   on the thread that feeds the board, so a log that takes milliseconds can be felt.
    /// - `debug`: the port of the board.
    /// - `info`: starts, and stops that were requested.
    /// - `notice`: other stops.
    /// - `warning`: resets, faults, and starts that fail.
    /// - `error`: the loss of the board.
    public var logger: Logger? {
        get { state.withLock { $0.logger } }
        set {
            core.change { state in
                state.discard(state.logger)
                state.logger = newValue
                state.mailbox?.post(.log(newValue))
            }
        }
    }
}

extension EngineCore {
    func events() -> AsyncStream<HapticEngine.Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let number = state.withLock { state in
                state.lastObserver += 1
                state.observers[state.lastObserver] = continuation
                return state.lastObserver
            }
            continuation.onTermination = { [weak self] _ in
                self?.change { $0.discard($0.observers.removeValue(forKey: number)) }
            }
        }
    }

    /// Reports an event to the app's sequences and to its log.
    func tell(_ event: HapticEngine.Event, _ state: EngineState) {
        log(event.level, event.message, state)
        let observers = Array(state.observers.values)
        guard !observers.isEmpty else { return }
        callbacks.async { for observer in observers { observer.yield(event) } }
    }

    func log(_ level: Logger.Level, _ message: String, _ state: EngineState) {
        guard let logger = state.logger else { return }
        callbacks.async { [name = device.name] in
            logger.log(level: level, "\(message)", metadata: ["board": "\(name)"])
        }
    }

    /// Ends the app's sequences and the logging.
    func endEvents(_ state: inout EngineState) {
        let observers = Array(state.observers.values)
        callbacks.async { for observer in observers { observer.finish() } }
        state.discard(state.logger)
        (state.observers, state.logger) = ([:], nil)
    }
}

extension HapticEngine.Event {
    fileprivate var level: Logger.Level {
        switch self {
        case .started, .stopped(nil): .info
        case .stopped: .notice
        case .reset, .faults, .unshared: .warning
        case .boardLost: .error
        }
    }

    fileprivate var message: String {
        switch self {
        case .started: "the engine has started"
        case .reset: "the board was reset"
        case .boardLost(let error): "the board is gone: \(error)"
        case .stopped(nil): "the engine has stopped"
        case .stopped(let reason?): "the engine has stopped: \(reason)"
        case .faults(let faults): "the board has faults: \(faults)"
        case .unshared(let reason): "no other program can use the board: \(reason)"
        }
    }
}
