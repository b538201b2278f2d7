// Boards that are plugged in and unplugged.

import BridgeLink
import Dispatch

extension HapticDevice {
    /// A board that has come or gone.
    public enum Change: Sendable, Hashable {
        /// Its port may be opened. `HapticDevice.port(port.path)` plays on it.
        case added(PortDescription)
        /// It was unplugged.
        case removed(PortDescription)
    }

    /// Boards that come and go, beginning with those that are there. Each caller has a stream of its
    /// own, which ends with the task that reads it.
    ///
    /// A board is a port that a search opens: one with the USB id of a board, or one where a board has
    /// answered before (``BoardSearch``). None is opened to tell; one that answers for the first time is
    /// told when ports change the next time. On Linux changes are told at once; on
    /// macOS the ports are looked at once a second.
    public static var changes: AsyncStream<Change> { changes(on: Computer()) }

    static func changes(on computer: Computer) -> AsyncStream<Change> {
        AsyncStream { continuation in
            guard let wakeUp = try? WakeUp() else { return continuation.finish() }
            let isOver = Guarded(false)
            continuation.onTermination = { _ in
                isOver.withLock { $0 = true }
                wakeUp.signal()
            }
            // A queue of its own is a thread of its own for as long as the stream lasts.
            DispatchQueue(label: "haptic-bridge.changes").async {
                // Watched before it is looked, so that nothing is missed between.
                let watch = PortWatch(in: computer.system)
                var known: [PortDescription] = []
                while !isOver.withLock({ $0 }) {
                    let present = boards(on: computer)
                    for change in changes(from: known, to: present) { continuation.yield(change) }
                    known = present
                    watch.wait(orFor: wakeUp)
                }
            }
        }
    }

    private static func boards(on computer: Computer) -> [PortDescription] {
        ((try? computer.ports())?.searched() ?? []).filter { $0.access != .noPermission }
    }

    private static func changes(
        from known: [PortDescription], to present: [PortDescription]
    ) -> [Change] {
        func isIn(_ ports: [PortDescription], _ port: PortDescription) -> Bool {
            ports.contains { $0.path == port.path && $0.identity == port.identity }
        }
        return known.filter { !isIn(present, $0) }.map(Change.removed)
            + present.filter { !isIn(known, $0) }.map(Change.added)
    }
}
