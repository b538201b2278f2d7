// BoardSource: connects to a board, and identifies the board so that engines can share the
// connection.

import Foundation
import POSIX
import SerialPorts

/// The identity of a board. Engines with the same board identity share one connection.
package enum BoardIdentity: Hashable, Sendable {
    /// The board on a port, identified by the port's real path.
    case port(String)
    /// The only board that answers.
    case automatic
    /// The board with a USB serial number, if no port currently has this number.
    case serialNumber(String)
    /// The board that answers with this id.
    case board(UInt64)
    /// A board that an app connects to with its own code.
    case own(UUID)

    /// Creates the identity of a port from any path that leads to it.
    package init(port path: String) { self = .port(Self.realPort(path)) }

    /// Returns the real path of a port, or the given path if no such file exists.
    package static func realPort(_ path: String) -> String { realPath(of: path) ?? path }
}

/// A way to connect to a board, with the identity of the board.
package struct BoardSource: Sendable {
    /// Returns the identity, which depends on the current environment and the current symbolic
    /// links to ports.
    package let identity: @Sendable () -> BoardIdentity
    /// Connects to the board, or throws `CancellationError` when `isWanted` returns false. Called
    /// on the board's thread.
    package let connect: @Sendable (_ isWanted: () -> Bool) throws -> HapticBoard
    /// Returns the path of the board's port, so that another process may serve it; nil if the path
    /// is unknown. The closure is nil for a board that only this process can connect to.
    package let servedPort: (@Sendable () -> String?)?

    package init(
        identity: @escaping @Sendable () -> BoardIdentity,
        servedPort: (@Sendable () -> String?)?,
        connect: @escaping @Sendable (_ isWanted: () -> Bool) throws -> HapticBoard
    ) {
        (self.identity, self.servedPort, self.connect) = (identity, servedPort, connect)
    }
}
