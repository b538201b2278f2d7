// The events of an engine, as an asynchronous sequence and in the app's log.

import BridgeLink
import HapticBoards
import Logging

extension HapticEngine {
    /// A change in the state of an engine or its board.
    public enum Event: Sendable {
        /// The engine has started. From this event on, players play without delay.
        case started
        /// The board was reset and has answered again. ``HapticEngine/resetHandler`` is also
        /// called.
        case reset
        /// The board was unplugged, has stopped answering or can no longer play, for the associated
        /// reason. The engine stops.
        case boardLost(HapticError)
        /// The engine has stopped, for the reason that ``HapticEngine/stoppedHandler`` receives;
        /// nil if the app requested the stop.
        case stopped(StoppedReason?)
        /// The board has counted faults and continues to play. The error contains all latched
        /// faults and their remedies. Faults that end the playback are part of ``boardLost(_:)``.
        case faults(HapticError)
        /// While this program uses the board, no other program can use or stop the board; the
        /// associated value is the reason. The usual reason is that the folder of the board's
        /// socket belongs to another user; `bridge doctor` detects such a folder.
        case unshared(String)
    }

    /// The events of the engine that occur after the call, in the same order as the calls of its
    /// handlers. Each caller receives its own sequence. The sequence does not retain the engine,
    /// and ends when the engine is released. If a task reads slowly, only the newest 100 events are
    /// kept.
    public var events: AsyncStream<Event> { core.events() }

    /// The app's log. If it is nil, which is the default, nothing is logged.
    ///
    /// The levels are:
    ///
    /// - `trace`: every frame to and from the board, after the board has answered. Frames are
    ///   logged on the thread that feeds the board, so a log that takes milliseconds can cause a
    ///   perceptible delay.
    /// - `debug`: the port of the board.
    /// - `info`: starts and requested stops.
    /// - `notice`: all other stops.
    /// - `warning`: resets, faults and failed starts.
    /// - `error`: a lost connection to the board.
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

    /// Reports an event to the app's sequences and its log.
    func post(_ event: HapticEngine.Event, _ state: EngineState) {
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

    /// Ends the app's event sequences and the logging.
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
        case .boardLost(let error): "the board was lost: \(error)"
        case .stopped(nil): "the engine has stopped"
        case .stopped(let reason?): "the engine has stopped: \(reason)"
        case .faults(let error): "\(error.message)"
        case .unshared(let reason): "no other program can use the board: \(reason)"
        }
    }
}
