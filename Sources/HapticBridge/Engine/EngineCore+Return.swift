// Automatic restart when a board is unplugged and plugged in again.

import BridgeLink
import SerialPorts

extension HapticEngine {
    /// True if the engine restarts by itself: when its board returns after it was unplugged or
    /// stopped answering, or when the program resumes after it was suspended. False by default.
    ///
    /// The loss is reported as usual: players end, and ``stoppedHandler`` is called with
    /// `systemError` or `applicationSuspended`. ``events`` reports the restart, after which players
    /// that were created earlier can be started. A board is recognized by its USB serial number, or
    /// by its USB socket if it has no serial number. The wait ends if the app stops or releases the
    /// engine.
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

extension EngineCore {
    /// The interval between two searches for a missing board, in microseconds.
    private static let lookInterval: Microseconds = 250_000

    /// Begins to wait for the board if the app has set ``HapticEngine/reconnects``.
    func awaitBoard(_ state: inout EngineState) {
        guard state.reconnects, !state.isDestroyed, state.place != nil else { return }
        state.absences += 1
        state.absence = state.absences
        lookLater(state.absences)
    }

    private func lookLater(_ absence: Int) {
        background.async(after: Self.lookInterval) { [weak self] in
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

    private var isPortNamed: Bool {
        if case .port = device.source.identity() { true } else { false }
    }
}
