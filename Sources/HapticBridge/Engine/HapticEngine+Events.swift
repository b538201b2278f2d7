// What happens to an engine, as a sequence and in the app's log.

import BridgeLink
import Logging

extension HapticEngine {
    /// What happens to an engine.
    public enum Event: Sendable {
        /// Players play from now on.
        case started
        /// The board was reset and is there again; ``HapticEngine/resetHandler`` is called too.
        case reset
        /// The board was unplugged, does not answer or cannot play any more: why. The engine stops.
        case boardLost(HapticError)
        /// It has stopped: by itself, with the reason that ``HapticEngine/stoppedHandler`` is given, or
        /// nil because it was asked to.
        case stopped(StoppedReason?)
        /// The board has counted faults since it was asked last: all that it has latched.
        case faults(Faults)
    }

    /// What happens to the engine from now on, in order with its handlers. Each caller has a sequence
    /// of its own, which ends with the engine, does not keep it, and holds the newest 100 events for a
    /// task that does not read on.
    public var events: AsyncStream<Event> { core.events() }

    /// The app's log; nil at first, and then nothing is logged.
    ///
    /// It is told at level `trace` every frame to and from the board once that has answered, at `debug`
    /// where the board is, at `info` starts, and stops that were asked for, at `notice` other stops, at
    /// `warning` resets, faults and failed starts, at `error` the loss of the board. Frames are logged
    /// on the thread that feeds the board: a handler that takes milliseconds is felt.
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
