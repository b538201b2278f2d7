// ServedBoard: the connection to a board that another program serves.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
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
            try line.send(ClientMessage.hello(for: purpose))
            return line
        }
        guard let folder = RuntimeFolder.present,
            let socket = LocalSocket.connected(to: folder.socket(ofPort: port)),
            BoardServer.accepts(socket.peer)
        else { return nil }
        let line = MessageLine(socket)
        guard (try? line.send(ClientMessage.hello(for: purpose))) != nil else { return nil }
        return line
    }

    /// The reason why no program of the user can serve a board, nor ask for silence; nil if one can.
    package static var obstacle: String? { RuntimeFolder.obstacle }

    /// Returns whether another program of the user serves the board at a port.
    ///
    /// A board of another computer for which there is a key counts as served without being asked.
    package static func isThere(port: String) -> Bool {
        if NetworkAddress.isMeant(by: port), RemoteKey.namedFile != nil { return true }
        guard let folder = RuntimeFolder.present else { return false }
        return LocalSocket.connected(to: folder.socket(ofPort: port)) != nil
    }

    /// Returns whether another program serves the board at a port, and goes on doing so: a process that serves only for
    /// as long as any program uses the board ends two seconds after the last one, which is waited for.
    package static func isKept(port: String) -> Bool {
        let deadline = Link.now() + lingeringTime
        while isThere(port: port) {
            guard Link.now() < deadline, !NetworkAddress.isMeant(by: port) else { return true }
            hostClock.sleep(for: lingeringInterval)
        }
        return false
    }

    /// The time in which a process ends that serves nobody any more, and the time between two looks, in
    /// microseconds.
    private static let lingeringTime: Microseconds = 2_500_000
    private static let lingeringInterval: Microseconds = 50_000

    /// The time in which a process that was started must serve, in microseconds. A board that is
    /// reset when its port is opened takes 2 s.
    static let startTime: Microseconds = 5_000_000
    /// The time between two attempts to connect to it.
    static let attemptInterval: Microseconds = 5_000
    /// The time between two attempts while another process that has the port may begin to serve it.
    private static let lockedInterval: Microseconds = 50_000

    /// Has the board at a port served by a process of its own, unless one serves it already.
    ///
    /// - Returns: whether a process serves it; this program has to use the port itself if none does.
    package static func begin(port: String) -> Bool {
        begin(
            port: port, ServerProgram(), while: { true }, wait: { hostClock.sleep(for: $0) },
            connect: { isThere(port: port) ? port : nil }) != nil
    }

    /// Connects to the process that serves the board at a port, which is started if there is none.
    ///
    /// - Parameters:
    ///   - server: the program that is started; nil for none.
    ///   - isWanted: called repeatedly; once it returns false, the attempt is given up.
    ///   - wait: lets a time pass between two attempts, in microseconds.
    ///   - connect: returns the connection to the process that serves; nil if there is none.
    /// - Returns: the connection; nil if no process can serve the board, or it is not wanted.
    static func begin<Connection>(
        port: String, _ server: @autoclosure () -> ServerProgram?, while isWanted: () -> Bool,
        wait: (Microseconds) -> Void,
        connect: () throws -> Connection?
    ) rethrows -> Connection? {
        if let connection = try connect() { return connection }
        guard PortList.isDevice(port), let server = server()?.start(port: port) else {
            return nil
        }
        let deadline = Link.now() + startTime
        while Link.now() < deadline, isWanted() {
            // A process that ends may have found the port in use by one that serves it.
            let status = server.status
            if let connection = try connect() { return connection }
            if let status, !mayBeServed(port, after: status) { return nil }
            wait(status == nil ? attemptInterval : lockedInterval)
        }
        return nil
    }

    /// Returns whether another process may be about to serve a port, after the one that was started has ended with
    /// an exit status.
    private static func mayBeServed(_ port: String, after status: Int32) -> Bool {
        #if os(Linux)
            if case .locked = PortList.access(to: port) { true } else { false }
        #else
            // The system does not reveal who has locked a port, but the process has found it in use.
            status == 75
        #endif
    }

    /// Asks the program that serves the board at a port to let it go, which it does unless anything
    /// plays. Returns when the port is free, or at once if nobody serves it.
    ///
    /// - Throws: `HapticError`, which names who plays.
    package static func release(port: String) throws {
        guard let line = try line(port: port, for: .release) else { return }
        let deadline = Link.now() + releaseTime
        while Link.now() < deadline {
            var requests = [line.socket.request()]
            _ = hostClock.poll(&requests, until: deadline)
            do {
                for report in try line.reports() {
                    if case .failed(let error) = report { throw error }
                    if report.isLast { return }
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
