// HostProgram: the running program and its environment.

import BridgeLink
import POSIX

/// A program: its clock, its environment, its standard streams, and its single instances of shared
/// types.
///
/// A process is normally one program. A test can run several programs in one process; these
/// programs share one clock.
package final class HostProgram: Sendable {
    /// The program to which the current task or thread belongs.
    @TaskLocal package static var current = process

    /// The program of this process.
    private static let process = HostProgram(clock: SystemClock())

    /// The descriptors of the standard streams.
    package struct Streams: Sendable {
        package var input = STDIN_FILENO
        package var output = STDOUT_FILENO
        package var errors = STDERR_FILENO

        package init() {}
    }

    /// Starts another program. Returns a closure that returns the program's exit status, or nil
    /// while the program is running. Returns no closure (nil) if the program cannot be started.
    package typealias Launch = @Sendable (_ words: [String]) -> (@Sendable () -> Int32?)?

    package let clock: any HostClock
    package let streams: Streams
    /// A function that starts other programs; nil to let the system start them.
    package let launch: Launch?
    /// The network of this computer; nil to use the system's network.
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

    /// True if this program is the process itself.
    package var isProcess: Bool { self === Self.process }

    /// The environment variables whose values differ from those of the process.
    package var variables: [String: String] { ownVariables.withLock { $0 } }

    /// Sets an environment variable for this program only.
    package func setVariable(_ name: String, to value: String) {
        ownVariables.withLock { $0[name] = value }
    }

    /// Returns the value of an environment variable; nil if the variable is not set.
    package func variable(_ name: String) -> String? {
        variables[name] ?? getenv(name).map { String(cString: $0) }
    }

    /// Returns the program's single instance of a type. The instance is created when it is first
    /// needed.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        values.withLock { values in
            if let value = values[ObjectIdentifier(Value.self)] as? Value { return value }
            let value = make()
            values[ObjectIdentifier(Value.self)] = value
            return value
        }
    }
}

/// The clock of the current program.
package var hostClock: any HostClock { HostProgram.current.clock }
