// The events of an engine, as a sequence and in the app's log.

import BridgeLink
import Logging

extension HapticEngine {
    /// An event in the life of an engine.
    public enum Event: Sendable {
        /// Players play from now on.
        case started
        /// The board was reset and is there again; ``HapticEngine/resetHandler`` is called too.
        case reset
        /// The board was unplugged, does not answer or cannot play any more, for this reason. The
        /// engine stops.
        case boardLost(HapticError)
        /// The engine has stopped, for the reason that ``HapticEngine/stoppedHandler`` is given; nil if
        /// it was asked to stop.
        case stopped(StoppedReason?)
        /// The board has counted faults since it told last. These are all that it has latched.
        case faults(Faults)
    }

    /// The events of the engine from now on, in order with its handlers. Each caller gets a sequence
    /// of its own, which does not keep the engine and ends with it. The newest 100 events wait for a
    /// task that is slow to read them.
    public var events: AsyncStream<Event> { core.events() }

    /// The app's log; nil at first, and then nothing is logged.
    ///
    /// By level:
    ///
    /// - `trace`: every frame to and from the board, once it has answered. They are logged on the
    ///   thread that feeds the board, where a log that takes milliseconds can be felt.
    /// - `debug`: the port of the board.
    /// - `info`: starts, and stops that were asked for.
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

    /// Tells the app's sequences and its log what has happened.
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

    /// Ends the app's sequences, and logs nothing more.
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
        case .reset, .faults: .warning
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
        }
    }
}

extension Logger {
    /// Logs a frame of the link.
    func trace(_ frame: Frame, _ direction: FrameDirection) {
        trace(
            "\(direction.rawValue) \(frame.words)",
            metadata: ["sequence": "\(frame.sequence)"])
    }
}

extension Frame {
    fileprivate var words: String {
        (try? Message(type: type, payload: payload)).map { "\($0)" } ?? "\(self)"
    }
}
