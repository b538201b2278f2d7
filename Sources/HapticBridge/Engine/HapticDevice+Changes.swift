// Notifications of boards that are plugged in and unplugged.

import Foundation
import HapticBoards
import SerialPorts

extension HapticDevice {
    /// A board that has appeared or disappeared.
    public enum Change: Sendable, Hashable {
        /// A board was plugged in, and the user has permission to open its port.
        /// `HapticDevice.port(port.path)` is the device for this board.
        case added(PortDescription)
        /// A board was unplugged.
        case removed(PortDescription)
    }

    /// Reports boards that are plugged in and unplugged, beginning with the boards that are already
    /// connected. Each caller receives its own stream, which ends with the task that reads it.
    ///
    /// A board is a port that a search opens: a port with the USB id of a board, or a port at which
    /// a board has answered before (``BoardSearch``). No port is opened to detect changes. A board
    /// that answers for the first time is reported when the ports next change. Changes are reported
    /// immediately on Linux; on macOS, the ports are examined once per second.
    public static var changes: AsyncStream<Change> { changes(on: PortEnvironment()) }

    static func changes(on computer: PortEnvironment) -> AsyncStream<Change> {
        AsyncStream { continuation in
            guard let eventSignal = try? EventSignal() else { return continuation.finish() }
            let isOver = LockedValue(false)
            continuation.onTermination = { _ in
                isOver.withLock { $0 = true }
                eventSignal.signal()
            }
            Thread.start("haptic-bridge.changes", qualityOfService: .utility) {
                // The watch begins before the first examination, so that no change is missed.
                let watch = PortWatch(in: computer.system)
                var known: [PortDescription] = []
                while !isOver.withLock({ $0 }) {
                    let present = boards(on: computer)
                    for change in changes(from: known, to: present) { continuation.yield(change) }
                    known = present
                    watch.wait(orFor: eventSignal)
                }
            }
        }
    }

    private static func boards(on computer: PortEnvironment) -> [PortDescription] {
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
