// BoardSignals: the signals of the program. SIGTERM and SIGINT end the program with exit status 0;
// SIGUSR1 presses the board's reset button.

import POSIX
import Synchronization

/// The signals that the program has received.
enum BoardSignals {
    private static let stop = Atomic<Bool>(false)
    private static let reset = Atomic<Bool>(false)

    /// True if the program must end. The loop never waits for longer than 50 ms, and therefore
    /// detects a signal within that time.
    static var isStopRequested: Bool { stop.load(ordering: .relaxed) }

    /// Returns whether the reset button was pressed since the last call.
    static func takeReset() -> Bool { reset.exchange(false, ordering: .relaxed) }

    static func prepare() {
        signal(SIGTERM) { _ in BoardSignals.stop.store(true, ordering: .relaxed) }
        signal(SIGINT) { _ in BoardSignals.stop.store(true, ordering: .relaxed) }
        signal(SIGUSR1) { _ in BoardSignals.reset.store(true, ordering: .relaxed) }
        signal(SIGPIPE, SIG_IGN)
        // A parent process whose thread blocks signals may have started this process with these
        // signals blocked.
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in [SIGTERM, SIGINT, SIGUSR1] { sigaddset(&mask, signal) }
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }
}

/// Prints a line and flushes it regardless of the type of standard output, because another program
/// waits for the line.
func printAtOnce(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
