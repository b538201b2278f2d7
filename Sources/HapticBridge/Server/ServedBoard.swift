// ServedBoard: the connection to a board that another program serves.

import BridgeLink
import Foundation
import POSIX
import SerialPorts

/// Boards that other programs of the user serve.
package enum ServedBoard {
    /// Connects to the program that serves the board at a port. Returns nil if none does.
    ///
    /// - Throws: `TransportError.network` or `RemoteKey.Refusal` for a board of another computer.
    static func line(
        port: String, for purpose: EngineMailbox.Purpose
    ) throws -> MessageLine? {
        if NetworkAddress.isMeant(by: port), let file = RemoteKey.namedFile {
            let line = try RemoteConnection.line(to: port, key: RemoteKey(file: file))
            try line.send(ClientHello(purpose: purpose))
            return line
        }
        guard let folder = try? RuntimeFolder(),
            let socket = LocalSocket.connected(to: folder.socket(ofPort: port)),
            BoardServer.accepts(socket.peer)
        else { return nil }
        let line = MessageLine(socket)
        guard (try? line.send(ClientHello(purpose: purpose))) != nil else { return nil }
        return line
    }

    /// Whether another program of the user serves the board at a port.
    ///
    /// A board of another computer for which there is a key counts as served without being asked.
    package static func isThere(port: String) -> Bool {
        if NetworkAddress.isMeant(by: port), RemoteKey.namedFile != nil { return true }
        guard let folder = try? RuntimeFolder() else { return false }
        return LocalSocket.connected(to: folder.socket(ofPort: port)) != nil
    }

    /// Asks the program that serves the board at a port to let it go, which it does unless anything
    /// plays. Returns when the port is free, or at once if nobody serves it.
    ///
    /// - Throws: `HapticError`, which names who plays.
    package static func release(port: String) throws {
        guard let line = try line(port: port, for: .release) else { return }
        let deadline = Link.now() + releaseTime
        while Link.now() < deadline {
            var request = line.socket.request()
            _ = poll(&request, 1, (deadline - Link.now()).pollTimeout)
            do {
                for message in try line.receive() {
                    switch try JSONDecoder().decode(ServerMessage.self, from: message) {
                    case .report(.failed(let error)): throw error
                    case .refused(let reason): throw HapticError(.serverInitFailed, reason)
                    case .report(let report) where report.isLast: return
                    case .report, .alive, .clock: break
                    }
                }
            } catch MessageLine.Failure.ended {
                return
            }
        }
        throw HapticError(.serverInitFailed, "the program that serves it does not answer")
    }

    /// The time within which a board is let go, in microseconds.
    private static let releaseTime: Microseconds = 3_000_000
}
