// Boards that were pulled and are plugged in again.

import BridgeLink
import Dispatch

extension HapticEngine {
    /// Whether the engine starts again by itself when its board, which was unplugged or did not answer
    /// any more, is there again. False at first.
    ///
    /// The loss is told as ever: players are over, and ``stoppedHandler`` is called with `systemError`.
    /// A new start is told by ``events``; players that were made before can be started then. A board is
    /// taken for the same by its USB serial number, or by its socket if it has none. A stop, and the
    /// release of the engine, end the wait.
    public var reconnects: Bool {
        get { state.withLock { $0.reconnects } }
        set {
            state.withLock { state in
                state.reconnects = newValue
                if !newValue { state.absence = nil }
            }
        }
    }
}

/// The place at which a board was found.
struct BoardPlace: Sendable {
    let path: String
    /// The mark that tells its port from others; nil if the system does not list the port.
    let identity: String?
    let system: PortSystem

    /// Whether the board may be there again, as far as can be told without opening a port. What is
    /// plugged in instead does not count.
    ///
    /// - Parameter isNamed: whether it has to be at the same path.
    func hasBoard(isNamed: Bool) -> Bool {
        guard let identity else { return PortList.isDevice(path) }
        if isNamed { return PortList.port(at: path, in: system)?.identity == identity }
        let ports = (try? PortList.all(in: system)) ?? []
        return ports.contains { $0.identity == identity && $0.access == .free }
    }
}

extension EngineCore {
    /// The time between two looks for a board that is gone, in seconds.
    private static let lookInterval = 0.25

    /// Waits for the board if the app wants that.
    func awaitBoard(_ state: inout EngineState) {
        guard state.reconnects, !state.isDestroyed, state.place != nil else { return }
        state.absences += 1
        state.absence = state.absences
        lookLater(state.absences)
    }

    private func lookLater(_ absence: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.lookInterval) { [weak self] in
            self?.look(absence)
        }
    }

    private func look(_ absence: Int) {
        let place = state.withLock { $0.absence == absence ? $0.place : nil }
        guard let place else { return }
        guard place.hasBoard(isNamed: isPortNamed) else { return lookLater(absence) }
        join(
            waiter(endOf: absence) { [weak self] error in
                if error != nil { self?.lookLater(absence) }
            })
    }

    private var isPortNamed: Bool { if case .port = device.identity() { true } else { false } }
}
