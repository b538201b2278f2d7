// VirtualProgram: a program of this package on a thread of a virtual clock.

import Foundation
import SerialPorts

/// A program that runs inside the process of a test. As in its own process, the program has its own
/// environment, standard streams and state.
public final class VirtualProgram: Sendable {
    /// The entry point of a program, and its signal handler.
    public struct Entry: Sendable {
        let run: @Sendable ([String]) -> Int32
        let signal: @Sendable (Int32) -> Void

        /// - Parameters:
        ///   - run: a closure that runs a command line and returns the exit status.
        ///   - signal: a closure that handles a signal.
        public init(
            run: @escaping @Sendable ([String]) -> Int32,
            signal: @escaping @Sendable (Int32) -> Void = { _ in }
        ) {
            (self.run, self.signal) = (run, signal)
        }
    }

    private static let entries = LockedValue<[String: Entry]>([:])

    /// Registers a program by its name, so that the program runs in the test's process in virtual
    /// time.
    public static func register(_ name: String, _ entry: Entry) {
        entries.withLock { $0[name] = entry }
    }

    private let entry: Entry
    private let program: HostProgram
    private let result = LockedValue<Int32?>(nil)
    private let lastSignal = LockedValue<Int32?>(nil)

    /// Returns the entry point of a registered program, or nil for an unregistered program.
    static func entry(_ name: String) -> Entry? { entries.withLock { $0[name] } }

    /// Starts a program and discards its output. Returns nil in real time.
    public convenience init?(_ entry: Entry, variables: [String: String] = [:]) {
        self.init(entry, [], streams: .discarded, variables: variables)
    }

    /// Starts a program. Returns nil in real time.
    init?(
        _ entry: Entry, _ arguments: [String], streams: HostProgram.Streams,
        variables: [String: String]
    ) {
        guard let clock = hostClock as? VirtualClock else { return nil }
        self.entry = entry
        let variables = HostProgram.current.variables.merging(variables) { $1 }
        program = HostProgram(
            clock: clock, streams: streams, variables: variables,
            launch: { Self.launch($0, variables) }, network: HostProgram.current.network)
        HostProgram.$current.withValue(program) {
            Thread(
                block: clock.body { [self] in
                    let status = entry.run(arguments)
                    result.withLock { $0 = status }
                }
            ).start()
        }
    }

    /// Starts a program and discards its output. Returns a closure that returns its exit status.
    private static func launch(
        _ words: [String], _ variables: [String: String]
    ) -> (@Sendable () -> Int32?)? {
        guard let entry = entry(URL(fileURLWithPath: words[0]).lastPathComponent),
            let program = VirtualProgram(
                entry, Array(words.dropFirst()), streams: .discarded, variables: variables)
        else { return nil }
        return { program.status }
    }

    /// The exit status; nil while the program runs.
    var status: Int32? { result.withLock { $0 } }

    /// The signal that ended the program; nil if no signal ended it.
    var endingSignal: Int32? {
        lastSignal.withLock { signal in signal.flatMap { status == 128 + $0 ? $0 : nil } }
    }

    func signal(_ signal: Int32) {
        if signal == SIGSTOP || signal == SIGCONT {
            return (program.clock as! VirtualClock).suspend(program, signal == SIGSTOP)
        }
        lastSignal.withLock { $0 = signal }
        HostProgram.$current.withValue(program) { entry.signal(signal) }
    }
}

extension HostProgram.Streams {
    /// Streams whose output is discarded.
    fileprivate static let discarded: Self = {
        let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
        var streams = Self()
        (streams.input, streams.output, streams.errors) = (descriptor, descriptor, descriptor)
        return streams
    }()
}
