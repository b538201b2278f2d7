// EngineRouter: finds the process or the thread that serves the board of an engine.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// Connects an engine to its board through the process that serves the board. If there is no such
/// process, the router starts one; if no process can be started, the router serves the board on a
/// thread of this process.
///
/// A thread opens the `ServerConnection` to the process, and runs the connection until it has
/// ended.
package final class EngineRouter: Sendable {
    private let source: BoardSource
    private let server: @Sendable () -> ServerProgram?
    private let identity: BoardIdentity
    private let mailbox: EngineMailbox
    private let eventSignal: EventSignal

    /// The interval at which a connection that is being opened is checked, in microseconds.
    private static let checkInterval: Microseconds = 60_000

    /// Starts to serve an engine. A separate process is preferred as the server of the board,
    /// because a separate process continues when a program that plays ends.
    ///
    /// - Parameters:
    ///   - server: a closure that returns the program to start if no process serves the board; nil
    ///   to start no program.
    ///   - wanted: the current identity of the board.
    ///   - report: a closure that receives the reports, on another thread.
    /// - Throws: `HapticError` if the process has no file descriptors left.
    package static func serve(
        _ source: BoardSource, by server: @escaping @Sendable () -> ServerProgram?,
        at wanted: BoardIdentity, _ purpose: EngineMailbox.Purpose,
        _ report: @escaping @Sendable (EngineMailbox, EngineReport) -> Void
    ) throws -> EngineMailbox {
        let eventSignal: EventSignal
        do { eventSignal = try EventSignal() } catch { throw HapticError(connecting: error) }
        let mailbox = EngineMailbox(for: purpose, eventSignal: eventSignal, report)
        if source.servedPort == nil || BoardThread.isRunning(at: wanted) {
            try BoardThread.serve(mailbox, source, at: wanted)
            return mailbox
        }
        let engine = EngineRouter(source, server, wanted, mailbox, eventSignal)
        Thread.start("haptic-bridge.engine", qualityOfService: .userInteractive) { engine.run() }
        return mailbox
    }

    private init(
        _ source: BoardSource, _ server: @escaping @Sendable () -> ServerProgram?,
        _ identity: BoardIdentity, _ mailbox: EngineMailbox, _ eventSignal: EventSignal
    ) {
        (self.source, self.server, self.identity) = (source, server, identity)
        (self.mailbox, self.eventSignal) = (mailbox, eventSignal)
    }

    private func run() {
        do {
            try connectAndRun()
        } catch {
            mailbox.report(.failed(HapticError(connecting: error)))
        }
    }

    private func connectAndRun() throws {
        let deadline = Link.now() + BoardServerClient.startTime
        while Link.now() < deadline, let port = source.servedPort?(),
            let connection = try connect(to: port)
        {
            if mailbox.isToStop { return mailbox.report(.stopped) }
            var session = ServerConnection(connection, mailbox, eventSignal)
            session.run()
            // A process that is about to end accepts connections but does not answer.
            guard session.isUnanswered else { return }
            if session.isSilent, deadline - Link.now() < BoardServerClient.startTime / 2 {
                throw BoardServerClient.silence(at: port)
            }
            eventSignal.wait(timeout: BoardServerClient.attemptInterval)
        }
        if mailbox.isToStop { return mailbox.report(.stopped) }
        try BoardThread.serve(mailbox, source, at: identity)
    }

    /// Connects to the process that serves a port, and starts such a process if none is running.
    /// Returns nil if this program must serve the board itself, or if the engine was stopped.
    private func connect(to port: String) throws -> MessageConnection? {
        guard !NetworkAddress.isMeant(by: port) else { return try connectAside(to: port) }
        return try BoardServerClient.begin(
            port: port, server(), while: { !mailbox.isToStop },
            wait: { eventSignal.wait(timeout: $0) },
            connect: { try BoardServerClient.connect(to: port, for: mailbox.purpose) })
    }

    /// Connects on another thread, because resolving a host name cannot be interrupted. If the
    /// engine is stopped, that thread is abandoned.
    private func connectAside(to port: String) throws -> MessageConnection? {
        let outcome = LockedValue<Result<MessageConnection?, any Error>?>(nil)
        Thread.start("haptic-bridge.connect", qualityOfService: .userInitiated) {
            [purpose = mailbox.purpose, eventSignal] in
            let result = Result { try BoardServerClient.connect(to: port, for: purpose) }
            outcome.withLock { $0 = result }
            eventSignal.signal()
        }
        while !mailbox.isToStop {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            eventSignal.wait(timeout: Self.checkInterval)
        }
        return nil
    }
}
