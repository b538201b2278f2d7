// Automatic restart when a board is unplugged and plugged in again.

import BridgeLink
import SerialPorts

extension HapticEngine {
    /// True if the engine restarts automatically when the board returns after being unplugged or
    /// not answering, or when the program resumes after being suspended. False by default.
    ///
    /// The loss is reported as usual: players end, and ``stoppedHandler`` is called with
    /// `systemError` or `applicationSuspended`. ``events`` reports the restart. Players that were
    /// created earlier can then be started. A board is recognized by its USB serial number, or by
    /// its USB socket if the board has no serial number. The wait ends if the app stops or releases
    /// the engine.
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
    private static let searchInterval: Microseconds = 250_000

    /// Begins to wait for the board if the app has set ``HapticEngine/reconnects``.
    func awaitBoard(_ state: inout EngineState) {
        guard state.reconnects, !state.isDestroyed, state.endpoint != nil else { return }
        state.absences += 1
        state.absence = state.absences
        scheduleSearch(state.absences)
    }

    private func scheduleSearch(_ absence: Int) {
        background.async(after: Self.searchInterval) { [weak self] in
            self?.search(absence)
        }
    }

    private func search(_ absence: Int) {
        let endpoint = state.withLock { $0.absence == absence ? $0.endpoint : nil }
        guard let endpoint else { return }
        guard endpoint.hasBoard(isNamed: isPortNamed) else { return scheduleSearch(absence) }
        join(
            waiter(endOf: absence) { [weak self] error in
                if error != nil { self?.scheduleSearch(absence) }
            })
    }

    private var isPortNamed: Bool {
        if case .port = device.source.identity() { true } else { false }
    }
}
