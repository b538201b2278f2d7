// Interruption: handles Ctrl-C and the other signals that end the tool, so that no motor keeps
// running.

import POSIX
import SerialPorts
import Synchronization

/// Handles signals.
///
/// While nothing is playing, a signal ends the process immediately. During playback, the first
/// signal is recorded, so that the command can stop the playback and wait until the board confirms
/// that the actuator is at rest. A second signal, or half a second without confirmation, ends the
/// process; the board's dead-man timer then brings the actuator to rest.
///
/// In all these cases, the signal itself terminates the process. If the process merely exited, a
/// shell loop would continue and start the next pattern.
package enum Interruption {
    /// The signals that a program has received.
    private final class State: Sendable {
        /// The signal that requested a stop; 0 if there was none.
        let received = Atomic<Int32>(0)
        let isPlaying = Atomic<Bool>(false)
    }

    /// The state of this process, which signal handlers modify.
    private static let process = State()
    private static var state: State {
        HostProgram.current.isProcess ? process : HostProgram.current.value { State() }
    }

    /// The time allowed for the board to confirm a stop, in microseconds.
    private static var patience: useconds_t { 500_000 }

    /// Installs the signal handlers. This method must be called once, before any other method of
    /// this type.
    package static func prepare() {
        // This access initializes the lazy variable, because a signal handler must not initialize
        // it.
        process.received.store(0, ordering: .sequentiallyConsistent)
        for signal in [SIGINT, SIGQUIT, SIGTERM] {
            handle(signal) { Interruption.signalled($0) }
        }
        if !isIgnored(SIGHUP) { handle(SIGHUP) { Interruption.signalled($0) } }
        handle(SIGALRM) { _ in Interruption.giveUp() }
        for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGALRM] { unblock(signal) }
        // Writing to a closed pipe or beyond the maximum size of a file returns an error. The
        // corresponding signals must not end a process that must still stop a motor or remove a
        // temporary file. The signals are handled rather than ignored because child processes would
        // inherit ignored signals.
        for signal in [SIGPIPE, SIGXFSZ] { handle(signal) { _ in } }
    }

    /// Runs `body`. A signal that arrives while `body` runs is recorded and does not end the
    /// process.
    package static func deferred<Result>(_ body: () throws -> Result) rethrows -> Result {
        let state = state
        state.isPlaying.store(true, ordering: .sequentiallyConsistent)
        defer {
            state.isPlaying.store(false, ordering: .sequentiallyConsistent)
            if HostProgram.current.isProcess { _ = ualarm(0, 0) }
        }
        return try body()
    }

    /// Runs `body` with signals blocked, so that signals are delivered after `body` has returned.
    /// This function is only for short operations.
    package static func held<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var before = sigset_t()
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] { sigaddset(&mask, signal) }
        sigprocmask(SIG_BLOCK, &mask, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        return try body()
    }

    /// Terminates the process by the recorded signal if `status` is the exit status of that signal.
    package static func endIfInterrupted(_ status: Int32) {
        if self.status?.rawValue == status { end(by: status - 128) }
    }

    /// Records a signal that a test sends to the current program.
    package static func record(_ signal: Int32) {
        state.received.store(signal, ordering: .sequentiallyConsistent)
    }

    /// True if a signal has been recorded.
    package static var isRequested: Bool {
        state.received.load(ordering: .sequentiallyConsistent) != 0
    }

    /// The exit status for the recorded signal; nil if no signal was recorded.
    package static var status: ExitStatus? {
        let signal = state.received.load(ordering: .sequentiallyConsistent)
        return signal == 0 ? nil : ExitStatus(rawValue: 128 + signal) ?? .interrupted
    }

    // MARK: Code that runs in signal handlers: only atomics and system calls

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
            "bridge: the board did not confirm the stop; its actuators stop on their own within 0.25 s\n"
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

    /// Returns true if nohup(1) or a parent process has requested that the signal be ignored.
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

    /// Unblocks a signal, because this process may have inherited blocked signals from its parent.
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
