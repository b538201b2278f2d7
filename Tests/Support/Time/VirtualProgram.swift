// VirtualProgram: a program of this package on a thread of a virtual clock.

import Foundation
import SerialPorts

/// A program that runs in the process of a test, as if it had one of its own: with its environment,
/// its standard streams and its own state.
public final class VirtualProgram: Sendable {
    /// The entry of a program, and the receiver of its signals.
    public struct Entry: Sendable {
        let run: @Sendable ([String]) -> Int32
        let signal: @Sendable (Int32) -> Void

        /// - Parameters:
        ///   - run: runs a command line, and returns the exit status.
        ///   - signal: notes a signal.
        public init(
            run: @escaping @Sendable ([String]) -> Int32,
            signal: @escaping @Sendable (Int32) -> Void = { _ in }
        ) {
            (self.run, self.signal) = (run, signal)
        }
    }

    private static let entries = LockedValue<[String: Entry]>([:])

    /// Has programs of a name run in the process of tests in virtual time.
    public static func register(_ name: String, _ entry: Entry) {
        entries.withLock { $0[name] = entry }
    }

    private let entry: Entry
    private let program: HostProgram
    private let result = LockedValue<Int32?>(nil)

    /// Starts a program. Returns nil outside of virtual time, and for one that is not registered.
    init?(
        _ name: String, _ arguments: [String], streams: HostProgram.Streams,
        variables: [String: String]
    ) {
        guard let clock = hostClock as? VirtualClock,
            let entry = Self.entries.withLock({ $0[name] })
        else { return nil }
        self.entry = entry
        program = HostProgram(clock: clock, streams: streams, variables: variables) { words in
            let name = URL(fileURLWithPath: words[0]).lastPathComponent
            let other = VirtualProgram(
                name, Array(words.dropFirst()), streams: .discarded, variables: variables)
            return other.map { other in { other.status == nil } }
        }
        HostProgram.$current.withValue(program) {
            Thread(
                block: clock.body { [self] in
                    let status = entry.run(arguments)
                    result.withLock { $0 = status }
                }
            ).start()
        }
    }

    /// The exit status; nil while the program runs.
    var status: Int32? { result.withLock { $0 } }

    func signal(_ signal: Int32) {
        HostProgram.$current.withValue(program) { entry.signal(signal) }
    }
}

extension HostProgram.Streams {
    /// Streams whose bytes nobody reads.
    fileprivate static let discarded: Self = {
        let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
        var streams = Self()
        (streams.input, streams.output, streams.errors) = (descriptor, descriptor, descriptor)
        return streams
    }()
}
