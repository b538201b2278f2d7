// BoardSource: the way to a board, and the identity by which engines share it.

import Foundation
import POSIX
import SerialPorts

/// The identity of a board. Engines on the same board share a connection to it.
package enum BoardIdentity: Hashable, Sendable {
    /// The board at a port, given by the port's real path.
    case port(String)
    /// The only board that answers.
    case automatic
    /// The board with a USB serial number that no port has at present.
    case serialNumber(String)
    /// The board that answers with this id.
    case board(UInt64)
    /// A board to which an app connects by code of its own.
    case own(UUID)

    /// Makes the identity of a port from any path that leads to it.
    package init(port path: String) { self = .port(Self.realPort(path)) }

    /// Returns the real path of a port; the path itself if nothing is there.
    package static func realPort(_ path: String) -> String { realPath(of: path) ?? path }
}

/// The way in which a program connects to a board.
package struct BoardSource: Sendable {
    /// Returns the identity according to the present environment and the present links to ports.
    package let identity: @Sendable () -> BoardIdentity
    /// Connects to the board as long as that is wanted, and otherwise throws `CancellationError`. It is
    /// called on the board's thread.
    package let connect: @Sendable (_ isWanted: () -> Bool) throws -> HapticBoard
    /// Returns the path of the port at which the board is, so that another process may serve it; nil where
    /// that is not known. The closure is nil for a board to which only this process can connect.
    package let servedPort: (@Sendable () -> String?)?

    package init(
        identity: @escaping @Sendable () -> BoardIdentity,
        servedPort: (@Sendable () -> String?)?,
        connect: @escaping @Sendable (_ isWanted: () -> Bool) throws -> HapticBoard
    ) {
        (self.identity, self.servedPort, self.connect) = (identity, servedPort, connect)
    }
}
