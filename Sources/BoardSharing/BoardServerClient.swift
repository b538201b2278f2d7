// BoardServerClient: the connection to a board that another process serves.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// Functions for boards that other programs of the user serve.
package enum BoardServerClient {
    /// Connects to the process that serves the board on a port. Returns nil if there is no such
    /// process.
    ///
    /// - Throws: `TransportError.network` or `RemoteKey.Refusal` for a board on another computer.
    static func connect(
        to port: String, for purpose: EngineMailbox.Purpose
    ) throws -> MessageConnection? {
        if NetworkAddress.isMeant(by: port), let file = RemoteKey.namedFile {
            let connection = try RemoteConnection.connect(to: port, key: RemoteKey(file: file))
            try connection.send(ClientMessage.hello(for: purpose))
            return connection
        }
        guard let folder = RuntimeFolder.present,
            let socket = LocalSocket.connected(to: folder.socket(ofPort: port)),
            BoardServer.accepts(socket.peer)
        else { return nil }
        let connection = MessageConnection(socket)
        guard (try? connection.send(ClientMessage.hello(for: purpose))) != nil else { return nil }
        return connection
    }

    /// The reason why no program of the user can serve a board or request silence; nil if there is
    /// no such reason.
    package static var obstacle: String? { RuntimeFolder.obstacle }

    /// Returns the error for a process that accepts connections but sends nothing.
    static func silence(at port: String) -> TransportError {
        .refused(
            path: port,
            reason: "the program that serves the board does not answer: it may be suspended; "
                + "resume or end that program")
    }

    /// Returns whether another program of the user serves the board on a port.
    ///
    /// A board on another computer is considered served if ``RemoteKey/variable`` names a key file.
    /// The other computer is not queried.
    package static func isThere(port: String) -> Bool {
        if NetworkAddress.isMeant(by: port), RemoteKey.namedFile != nil { return true }
        guard let folder = RuntimeFolder.present else { return false }
        return LocalSocket.connected(to: folder.socket(ofPort: port)) != nil
    }

    /// Returns whether another process permanently serves the board on a port. A process that
    /// serves only while programs use the board ends two seconds after the last program has ended;
    /// this function waits until such a process has ended.
    package static func isKept(port: String) -> Bool {
        let deadline = Link.now() + lingeringTime
        while isThere(port: port) {
            guard Link.now() < deadline, !NetworkAddress.isMeant(by: port) else { return true }
            hostClock.sleep(for: lingeringInterval)
        }
        return false
    }

    /// The time after which a process without clients has ended, in microseconds.
    private static let lingeringTime: Microseconds = 2_500_000
    /// The polling interval while a process without clients ends, in microseconds.
    private static let lingeringInterval: Microseconds = 50_000

    /// The maximum time until a started process begins to serve, in microseconds. A board that
    /// resets when its port is opened needs 2 s to start.
    static let startTime: Microseconds = 5_000_000
    /// The interval between two attempts to connect to the process, in microseconds.
    static let attemptInterval: Microseconds = 5_000
    /// The interval between two attempts to connect while another process that uses the port may be
    /// about to serve it, in microseconds.
    private static let lockedInterval: Microseconds = 50_000

    /// The time after which the caller is informed that another program uses the port, in
    /// microseconds.
    private static let holdReportTime: Microseconds = 1_000_000

    /// Starts a process that serves the board on a port, unless a process already serves it.
    ///
    /// - Parameter held: a closure that is called once if another program has used the port for a
    ///   second and does not serve the board. The closure receives an error that names the program.
    /// - Returns: true if a process serves the board; false if this program must use the port
    ///   itself.
    package static func begin(port: String, held: (TransportError) -> Void) -> Bool {
        begin(
            port: port, ServerProgram(), while: { true }, wait: { hostClock.sleep(for: $0) },
            held: held, connect: { isThere(port: port) ? port : nil }) != nil
    }

    /// Connects to the process that serves the board on a port, and starts such a process if none
    /// is running.
    ///
    /// - Parameters:
    ///   - server: the program to start; nil to start no program.
    ///   - isWanted: a closure that is called repeatedly. When the closure returns false, the attempt
    ///     is abandoned.
    ///   - wait: a closure that waits between two attempts. Its argument is the duration in
    ///     microseconds.
    ///   - held: a closure that is called once if another program has used the port for a second
    ///     and does not serve the board.
    ///   - connect: a closure that returns the connection to the serving process; nil if there is
    ///     none.
    /// - Returns: the connection; nil if no process can serve the board, or the attempt was
    ///   abandoned.
    static func begin<Connection>(
        port: String, _ server: @autoclosure () -> ServerProgram?, while isWanted: () -> Bool,
        wait: (Microseconds) -> Void, held: (TransportError) -> Void = { _ in },
        connect: () throws -> Connection?
    ) rethrows -> Connection? {
        if let connection = try connect() { return connection }
        guard PortList.isDevice(port), let server = server()?.start(port: port) else {
            return nil
        }
        let begun = Link.now()
        var isReported = false
        while Link.now() < begun + startTime, isWanted() {
            // The process may have ended because the port is in use by another process that already
            // serves the board.
            let status = server.status
            if let connection = try connect() { return connection }
            if let status {
                guard let hold = busyError(of: port, after: status) else { return nil }
                if !isReported, Link.now() - begun >= holdReportTime {
                    isReported = true
                    held(hold)
                }
            }
            wait(status == nil ? attemptInterval : lockedInterval)
        }
        return nil
    }

    /// Returns the error for a port after the started process has ended with an exit status that
    /// shows that another process uses the port and may be about to serve it. Returns nil if no
    /// process uses the port.
    private static func busyError(of port: String, after status: Int32) -> TransportError? {
        #if os(Linux)
            guard case .locked(let holder) = PortList.access(to: port) else { return nil }
            return .busy(path: port, holder: holder)
        #else
            // The system does not report which process has locked a port, but the exit status shows
            // that the port was in use.
            return status == 75 ? .busy(path: port, holder: nil) : nil
        #endif
    }

    /// Requests that the process that serves the board on a port release the port. The process
    /// releases the port unless a program is playing. Returns when the port is free, or immediately
    /// if no process serves the board.
    ///
    /// - Throws: `HapticError`, which names the programs that are playing.
    package static func release(port: String) throws {
        guard let connection = try connect(to: port, for: .release) else { return }
        let deadline = Link.now() + releaseTime
        while Link.now() < deadline {
            var requests = [connection.socket.request()]
            _ = hostClock.poll(&requests, until: deadline)
            do {
                for report in try connection.reports() {
                    if case .failed(let error) = report { throw error }
                    if report.isLast { return }
                }
            } catch MessageConnection.Failure.ended {
                return
            }
        }
        throw HapticError(.serverInitFailed, "the program that serves the board does not answer")
    }

    /// The maximum time until a board is released, in microseconds.
    private static let releaseTime: Microseconds = 3_000_000
}
