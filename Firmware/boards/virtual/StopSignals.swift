// StopSignals: SIGTERM and SIGINT end the program in order, with exit status 0.

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Notes the signals that ask the program to end.
enum StopSignals {
    private static let received = Atomic<Bool>(false)

    /// Whether one has come. A wait in the loop is at most 50 ms, so that none is missed for long.
    static var isRequested: Bool { received.load(ordering: .relaxed) }

    static func prepare() {
        signal(SIGTERM) { _ in StopSignals.received.store(true, ordering: .relaxed) }
        signal(SIGINT) { _ in StopSignals.received.store(true, ordering: .relaxed) }
        signal(SIGPIPE, SIG_IGN)
        // A process may be started with signals blocked, from a thread that blocks them.
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGTERM)
        sigaddset(&mask, SIGINT)
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }
}

/// Prints a line that a waiting program must see now, whatever standard output is.
func printAtOnce(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
