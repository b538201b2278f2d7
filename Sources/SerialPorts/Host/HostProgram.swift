// HostProgram: the program that runs, as its code sees it.

import BridgeLink
import POSIX

/// A program: its clock, its environment, its standard streams, and what it has once.
///
/// A process is one program. A test runs several of them on one clock in one process.
package final class HostProgram: Sendable {
    /// The program of the present task or thread.
    @TaskLocal package static var current = process

    /// The program that this process is.
    private static let process = HostProgram(clock: SystemClock())

    /// Descriptors of the standard streams.
    package struct Streams: Sendable {
        package var input = STDIN_FILENO
        package var output = STDOUT_FILENO
        package var errors = STDERR_FILENO

        package init() {}
    }

    /// Starts another program, and returns a closure with its exit status, which is nil while the program
    /// runs; nil if it cannot be started.
    package typealias Launch = @Sendable (_ words: [String]) -> (@Sendable () -> Int32?)?

    package let clock: any HostClock
    package let streams: Streams
    /// Starts other programs; nil where the system does.
    package let launch: Launch?
    /// The network of this computer; nil for the system's.
    package let network: (any HostNetwork)?
    private let ownVariables: LockedValue<[String: String]>
    private let values = LockedValue<[ObjectIdentifier: any Sendable]>([:])

    package init(
        clock: any HostClock, streams: Streams = Streams(), variables: [String: String] = [:],
        launch: Launch? = nil, network: (any HostNetwork)? = nil
    ) {
        (self.clock, self.streams) = (clock, streams)
        (self.launch, self.network) = (launch, network)
        ownVariables = LockedValue(variables)
    }

    /// True if the program is this process.
    package var isProcess: Bool { self === Self.process }

    /// The variables of the environment that differ from those of the process.
    package var variables: [String: String] { ownVariables.withLock { $0 } }

    /// Sets a variable of the environment, for this program alone.
    package func setVariable(_ name: String, to value: String) {
        ownVariables.withLock { $0[name] = value }
    }

    /// Returns the value of a variable of the environment; nil if it is not set.
    package func variable(_ name: String) -> String? {
        variables[name] ?? getenv(name).map { String(cString: $0) }
    }

    /// Returns the one value of its type that the program has. It is made when it is first needed.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        values.withLock { values in
            if let value = values[ObjectIdentifier(Value.self)] as? Value { return value }
            let value = make()
            values[ObjectIdentifier(Value.self)] = value
            return value
        }
    }
}

/// The clock of the present program.
package var hostClock: any HostClock { HostProgram.current.clock }
