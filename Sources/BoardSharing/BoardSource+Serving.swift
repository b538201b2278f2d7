// Serves a board to other programs.

import BoardEngine
import BridgeLink
import HapticBoards
import SerialPorts

/// The reason why the service of a board has ended. The board is at rest.
package enum ServiceEnd {
    /// The service was no longer needed, or no program used it.
    case ended
    /// The board was released, because another program needs its port.
    case released
}

extension BoardSource {
    /// The maximum interval between two calls of `isWanted`, in microseconds.
    private static let checkInterval: Microseconds = 20_000

    /// Serves the board to other programs of the user. Returns when the board is at rest, with the
    /// reason why the service ended.
    ///
    /// - Parameters:
    ///   - idle: the time without any other program after which the service ends, in microseconds;
    ///     nil if the service does not end for this reason.
    ///   - listener: the listener for programs on other computers; nil if only programs on this
    ///     computer may connect.
    ///   - pages: the listener for pages; nil if no pages may connect.
    ///   - isWanted: a closure that is called repeatedly. When the closure returns false, the
    ///     service ends.
    ///   - ready: a closure that receives the path of the port when other programs can connect.
    /// - Throws: `HapticError` if the board cannot be connected or is lost, or if no program could
    ///   connect to this process.
    package func serve(
        untilIdle idle: Microseconds? = nil, listener: TCPListener? = nil,
        pages: InternalListener? = nil,
        while isWanted: () -> Bool,
        ready: (String) throws -> Void
    ) throws -> ServiceEnd {
        let folder: RuntimeFolder
        do {
            folder = try RuntimeFolder()
        } catch {
            throw HapticError(.serverInitFailed, "\(error)")
        }
        let reports = LockedValue<[EngineReport]>([])
        let reported = hostClock.makeSemaphore()
        let mailbox = EngineMailbox(for: .service, eventSignal: try EventSignal()) { _, report in
            reports.withLock { $0.append(report) }
            reported.signal()
        }
        mailbox.post(.shutDown(afterIdle: idle))
        try BoardThread.serve(mailbox, self, at: identity())
        var isStopping = false
        var others: [BoardServer] = []
        var obstacle: String?
        defer { for server in others { server.close() } }
        while true {
            reported.wait(until: Link.now() + Self.checkInterval)
            for report in reports.exchange([]) {
                switch report {
                case .unshared(let reason): obstacle = reason
                case .connected(let endpoint):
                    guard BoardServerClient.isThere(port: endpoint.path) else {
                        mailbox.post(.stop)
                        let socket = folder.socket(ofPort: endpoint.path)
                        throw HapticError(
                            .serverInitFailed,
                            (obstacle ?? "\(socket): the socket cannot be created")
                                + ", so no program could connect to the board")
                    }
                    for listener in [listener, pages] as [(any Listener & Sendable)?] {
                        if let listener { others.append(try serve(through: listener)) }
                    }
                    try ready(endpoint.path)
                case .failed(let error), .lost(let error): throw error
                case .stopped: return isStopping ? .ended : .released
                case .idle where !isStopping:
                    isStopping = true
                    mailbox.post(.stop)
                default: break
                }
            }
            guard !isStopping, !isWanted() else { continue }
            isStopping = true
            if BoardThread.withdraw(mailbox) { return .ended }
            mailbox.post(.stop)
        }
    }

    /// Serves, on the board's thread, additional programs that connect through a listener.
    private func serve(through listener: any Listener & Sendable) throws -> BoardServer {
        try BoardServer(listener, eventSignal: try EventSignal()) { mailbox in
            (try? BoardThread.serve(mailbox, self, at: identity())) != nil
        }
    }
}
