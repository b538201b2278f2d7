// BoardSignals: SIGTERM and SIGINT end the program in order, with exit status 0; SIGUSR1 is the board's
// reset button.

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Notes the signals that the program was sent.
enum BoardSignals {
    private static let stop = Atomic<Bool>(false)
    private static let reset = Atomic<Bool>(false)

    /// Whether the program is to end. A wait in the loop is at most 50 ms, so that no signal is
    /// missed for long.
    static var isStopRequested: Bool { stop.load(ordering: .relaxed) }

    /// Whether the reset button was pressed since the last question.
    static func takeReset() -> Bool { reset.exchange(false, ordering: .relaxed) }

    static func prepare() {
        signal(SIGTERM) { _ in BoardSignals.stop.store(true, ordering: .relaxed) }
        signal(SIGINT) { _ in BoardSignals.stop.store(true, ordering: .relaxed) }
        signal(SIGUSR1) { _ in BoardSignals.reset.store(true, ordering: .relaxed) }
        signal(SIGPIPE, SIG_IGN)
        // A process may be started with signals blocked, from a thread that blocks them.
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in [SIGTERM, SIGINT, SIGUSR1] { sigaddset(&mask, signal) }
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }
}

/// Prints a line that a waiting program must see now, whatever standard output is.
func printAtOnce(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
