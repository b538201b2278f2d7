// PortWatch: waits until ports may have been added or removed.

import BridgeLink
import POSIX

/// A watch on the folder of the device files. On Linux, the watch uses inotify. On other systems,
/// or if the user has no inotify watches left, the watch polls the folder once per second. Only one
/// thread may wait.
package final class PortWatch {
    private let descriptor: Int32

    /// The polling interval in microseconds.
    private static let interval: Microseconds = 1_000_000

    package init(in system: PortSystem = PortSystem()) {
        #if os(Linux)
            let watch = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            // The permissions of a port are set after the port has appeared, and the port cannot be
            // opened before they have been set.
            let events = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB
            let isWatched = inotify_add_watch(watch, system.devices, UInt32(events)) >= 0
            if watch >= 0, !isWatched { systemClose(watch) }
            descriptor = isWatched ? watch : -1
        #else
            descriptor = -1
        #endif
    }

    deinit {
        if descriptor >= 0 { systemClose(descriptor) }
    }

    /// Waits until entries have been added or removed, or their permissions have changed, since the
    /// last call. Also returns if the signal is sent.
    package func wait(orFor eventSignal: EventSignal) {
        guard descriptor >= 0 else {
            eventSignal.wait(timeout: Self.interval)
            return
        }
        var requests = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), eventSignal.request,
        ]
        guard hostClock.poll(&requests, until: .never) > 0 else { return }
        if requests[1].revents != 0 { eventSignal.drain() }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while systemRead(descriptor, &bytes, bytes.count) > 0 {}
    }
}
