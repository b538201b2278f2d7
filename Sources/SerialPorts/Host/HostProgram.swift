// HostProgram: the program that runs, as its code sees it.

import BridgeLink
import POSIX

/// A program: its clock, its environment, and what it has once.
///
/// A process is one program. A test runs several of them on one clock in one process.
package final class HostProgram: Sendable {
    /// The program of the present task or thread.
    @TaskLocal package static var current = HostProgram(clock: SystemClock())

    package let clock: any HostClock
    /// The variables of the environment that differ from those of the process.
    private let variables: [String: String]
    private let values = LockedValue<[ObjectIdentifier: any Sendable]>([:])

    package init(clock: any HostClock, variables: [String: String] = [:]) {
        (self.clock, self.variables) = (clock, variables)
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
