// Interruption: Ctrl-C and the other signals that end the tool, handled so that no motor keeps
// running.

import POSIX
import SerialPorts
import Synchronization

/// The handling of signals.
///
/// While nothing plays, a signal ends the process at once. While something plays, the first signal
/// is noted, so that the playback can be stopped and the actuator confirmed at rest; a second
/// signal, or half a second without confirmation, ends the process. The board's dead-man then
/// brings the actuator to rest.
///
/// In all these cases the process ends by the signal itself. If it merely exited, a shell loop
/// would continue and start the next pattern.
enum Interruption {
    /// The signals that a program has received.
    private final class State: Sendable {
        /// The signal that requested a stop; 0 if there was none.
        let received = Atomic<Int32>(0)
        let isPlaying = Atomic<Bool>(false)
    }

    /// The state of this process, which signal handlers change.
    private static let process = State()
    private static var state: State {
        HostProgram.current.isProcess ? process : HostProgram.current.value { State() }
    }

    /// The time that the board has to confirm a stop, in microseconds.
    private static var patience: useconds_t { 500_000 }

    /// Installs the signal handlers. Must be called once, before anything else.
    static func prepare() {
        // The lazy variable is initialised here rather than by the first signal, because nothing
        // may be initialised in a signal handler.
        process.received.store(0, ordering: .sequentiallyConsistent)
        for signal in [SIGINT, SIGQUIT, SIGTERM] {
            handle(signal) { Interruption.signalled($0) }
        }
        if !isIgnored(SIGHUP) { handle(SIGHUP) { Interruption.signalled($0) } }
        handle(SIGALRM) { _ in Interruption.giveUp() }
        for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGALRM] { unblock(signal) }
        // A closed pipe and a file that is too large are errors of the write. They must not end a
        // process that has to stop a motor or remove a draft. The signals are handled, not ignored,
        // because programs started from here would inherit ignored signals.
        for signal in [SIGPIPE, SIGXFSZ] { handle(signal) { _ in } }
    }

    /// Runs `body` in such a way that a signal is noted and does not end the process.
    static func deferred<Result>(_ body: () throws -> Result) rethrows -> Result {
        let state = state
        state.isPlaying.store(true, ordering: .sequentiallyConsistent)
        defer {
            state.isPlaying.store(false, ordering: .sequentiallyConsistent)
            if HostProgram.current.isProcess { _ = ualarm(0, 0) }
        }
        return try body()
    }

    /// Runs `body` to its end before a signal is delivered. For work that takes almost no time.
    static func held<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        var before = sigset_t()
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] { sigaddset(&mask, signal) }
        sigprocmask(SIG_BLOCK, &mask, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// Ends the process by the signal that was noted, if `status` is that of the signal.
    static func endIfInterrupted(_ status: Int32) {
        if self.status?.rawValue == status { end(by: status - 128) }
    }

    /// Notes a signal that a test sends to the present program.
    static func note(_ signal: Int32) {
        state.received.store(signal, ordering: .sequentiallyConsistent)
    }

    /// True if a signal was noted.
    static var isRequested: Bool { state.received.load(ordering: .sequentiallyConsistent) != 0 }

    /// The exit status of the signal that was noted; nil if there was none.
    static var status: ExitStatus? {
        let signal = state.received.load(ordering: .sequentiallyConsistent)
        return signal == 0 ? nil : ExitStatus(rawValue: 128 + signal) ?? .interrupted
    }

    // MARK: Inside of signal handlers: nothing but atomics and system calls

    private static func signalled(_ signal: Int32) {
        let isFirst = process.received.compareExchange(
            expected: 0, desired: signal, ordering: .sequentiallyConsistent
        ).exchanged
        guard isFirst, process.isPlaying.load(ordering: .sequentiallyConsistent) else {
            end(by: signal)
        }
        _ = ualarm(patience, 0)
    }

    private static func giveUp() {
        let text: StaticString =
            "bridge: the board has not confirmed the stop; it comes to rest by itself within 0.25 s\n"
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        end(by: process.received.load(ordering: .sequentiallyConsistent))
    }

    private static func end(by signal: Int32) -> Never {
        handle(signal, SIG_DFL)
        unblock(signal)
        raise(signal)
        _exit(128 + signal)
    }

    // MARK: Setting up

    /// Returns whether nohup(1) or a parent process has asked to ignore the signal.
    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Unblocks a signal. A parent's thread that blocks signals may start this process with them
    /// blocked.
    private static func unblock(_ signal: Int32) {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, signal)
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }

    private static func handle(_ signal: Int32, _ body: (@convention(c) (Int32) -> Void)?) {
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = body
        #else
            action.__sigaction_handler.sa_handler = body
        #endif
        sigaction(signal, &action, nil)
    }
}
