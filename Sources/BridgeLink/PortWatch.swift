// PortWatch: waits until ports may have come or gone.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Watches the folder that has the files of ports: by inotify on Linux; elsewhere, and where the
/// process has no watch left, by looking once a second. One thread waits.
package final class PortWatch {
    private let descriptor: Int32

    /// How often is looked without a watch, in microseconds.
    private static let interval: Microseconds = 1_000_000

    package init(in system: PortSystem = PortSystem()) {
        #if os(Linux)
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            // A port may be opened once its permissions are set, which is after it has come.
            let events = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB
            _ = inotify_add_watch(descriptor, system.devices, UInt32(events))
        #else
            descriptor = -1
        #endif
    }

    deinit {
        if descriptor >= 0 { systemClose(descriptor) }
    }

    /// Returns when files have come, gone or got other permissions since the last call, or at a signal.
    package func wait(orFor wakeUp: WakeUp) {
        guard descriptor >= 0 else {
            wakeUp.wait(timeout: Self.interval)
            return
        }
        var requests = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), wakeUp.request]
        guard poll(&requests, 2, -1) > 0 else { return }
        if requests[1].revents != 0 { wakeUp.take() }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while systemRead(descriptor, &bytes, bytes.count) > 0 {}
    }
}
