// BoardServer: the service through which other programs of the user use this process's board.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// Serves a board that this process has opened. A separate thread accepts connections and reads
/// messages. The board's thread writes the reports, and never waits for a program.
///
/// In each turn, the messages of all programs are read before any message is handled, and messages
/// are short (``MessageConnection/lengthMax``). Therefore, no program can make another program
/// appear silent.
final class BoardServer: PublishedBoard {
    /// A connected program.
    private final class Client: Sendable {
        let connection: MessageConnection
        let mailbox = LockedValue<EngineMailbox?>(nil)
        /// Answers output queries; nil if the program has not announced output queries.
        let output = LockedValue<ClientOutput?>(nil)
        let requests = LockedValue(ClientRequests())
        /// The host time at which the final message was queued. The connection ends after this
        /// message has been written. Nil before the final message.
        let overAt = LockedValue<HostTime?>(nil)

        /// The host time at which data last proved that the program is alive; before the first
        /// message, the time at which the program connected.
        let lastReceived = LockedValue(Link.now())

        /// True while a large pattern of the program is being prepared on another thread. In the
        /// meantime, the program's messages are read but not handled.
        let isPreparing = LockedValue(false)

        var isOver: Bool { overAt.withLock { $0 != nil } }

        /// True if the program has sent its first message, which contains the purpose of the
        /// connection.
        var isGreeted: Bool { mailbox.withLock { $0 != nil } }

        init(_ connection: MessageConnection) { self.connection = connection }

        /// Passes requests to the board's thread.
        func post(_ requests: [EngineRequest]) {
            guard !requests.isEmpty else { return }
            mailbox.withLock { $0 }?.post(requests)
            output.withLock { $0 }?.perform(requests)
        }

        /// Stops the engine of the program and closes the connection.
        func end() {
            // The mailbox and the client refer to each other, so the reference is removed here.
            mailbox.exchange(nil)?.post(.stop)
            connection.socket.shutDown()
        }

        func refuse(_ reason: String) {
            try? connection.send(ServerMessage.refused(reason))
            finish()
        }

        /// Ends the connection after the last message has been written.
        func finish() { overAt.withLock { $0 = $0 ?? Link.now() } }
    }

    private let listener: any Listener & Sendable
    private let eventSignal: EventSignal
    private let boardSignal: EventSignal
    private let admit: @Sendable (EngineMailbox) -> Bool
    private let stage = LockedValue(Stage.open)
    /// The queue on which large patterns are prepared.
    private let preparation = hostClock.makeQueue("haptic-bridge.patterns", isUtility: true)

    /// The states of the server: open for programs, closed to new programs because the board is
    /// being released, and closed.
    private enum Stage { case open, releasing, closed }

    /// The maximum number of connected programs.
    private static let clientsMax = 64
    /// The time for which the last messages are still written after the board was released, in
    /// microseconds.
    private static let closingTime: Microseconds = 200_000
    /// The time for which the last message to a single program is still written, in microseconds.
    private static let lastMessageTime: Microseconds = 2_000_000
    /// The timeout for the first message from a program, in microseconds.
    private static let greetingTime: Microseconds = 5_000_000
    /// The duration of a turn, in microseconds, after which new messages of the programs are read
    /// before more messages are handled.
    private static let turnTime: Microseconds = 20_000
    /// The time after which the connection of a silent page, or of a silent program on another
    /// computer, is closed, in microseconds: the network connection may have been interrupted
    /// without notice.
    private static let silenceLimit: Microseconds = 10_000_000

    /// Begins to serve programs of the same user. The caller's process must have locked the port,
    /// so an existing socket can only belong to a program that was killed.
    ///
    /// - Parameters:
    ///   - port: the path of the board's port.
    ///   - boardSignal: the signal that wakes the board's thread.
    ///   - admit: a closure that passes a new mailbox to the board's thread. The closure returns
    ///     false if the thread has ended.
    /// - Throws: an error if there is no safe location for the socket.
    convenience init(
        port: String, eventSignal boardSignal: EventSignal,
        admit: @escaping @Sendable (EngineMailbox) -> Bool
    ) throws {
        try self.init(UnixListener(port: port), eventSignal: boardSignal, admit: admit)
    }

    /// Begins to serve the programs that connect through a listener.
    init(
        _ listener: any Listener & Sendable, eventSignal boardSignal: EventSignal,
        admit: @escaping @Sendable (EngineMailbox) -> Bool
    ) throws {
        self.listener = listener
        eventSignal = try EventSignal()
        self.boardSignal = boardSignal
        self.admit = admit
        Thread.start("haptic-bridge.server", qualityOfService: .userInteractive) { self.run() }
    }

    /// Stops admitting programs, because the board is being released. New connections wait until
    /// ``close()``. The programs of the new connections then find the port free.
    func stopAdmitting() { stage.withLock { $0 = .releasing } }

    /// Stops accepting connections. Existing connections end after their last messages have been
    /// written.
    func close() {
        listener.close()
        stage.withLock { $0 = .closed }
        eventSignal.signal()
    }

    /// Returns whether `user` may use the boards that a process of the user `own` serves: only if
    /// both are the same user.
    static func accepts(_ user: uid_t?, servedBy own: uid_t = geteuid()) -> Bool { user == own }

    // MARK: The thread

    private func run() {
        var clients: [Client] = []
        var end = HostTime.never
        while true {
            if end == .never, stage.withLock({ $0 == .closed }) {
                end = Link.now() + Self.closingTime
                for client in clients where !client.isGreeted { client.finish() }
            }
            wait(for: clients, until: end)
            if end == .never { clients += newClients(connected: clients.count) }
            for client in clients { receive(from: client) }
            let turnEnds = Link.now() + Self.turnTime
            for client in clients where Link.now() < turnEnds { serve(client) }
            clients.removeAll { isGone($0) }
            // The next turn begins with another program.
            if !clients.isEmpty { clients.append(clients.removeFirst()) }
            if Link.now() >= end || end < .never && clients.isEmpty { break }
        }
        for client in clients { client.end() }
    }

    private func wait(for clients: [Client], until end: HostTime) {
        var requests = [eventSignal.request]
        requests += clients.map { client in
            client.connection.socket.request(
                reading: !client.isOver && client.connection.isToBeRead,
                writing: client.connection.hasBacklog)
        }
        var deadline = clients.map(deadline).reduce(end, min)
        if end == .never {
            requests += listener.requests
            deadline = min(deadline, listener.deadline)
        }
        let now = Link.now()
        for client in clients where isServed(client) && client.connection.hasNext {
            deadline = min(deadline, mustWait(client) ? now + Self.waitInterval : now)
        }
        _ = hostClock.poll(&requests, until: deadline)
        if requests[0].revents != 0 { eventSignal.drain() }
    }

    private func newClients(connected count: Int) -> [Client] {
        var clients: [Client] = []
        for (connection, refusal) in listener.acceptedConnections() {
            let client = Client(connection)
            if let refusal {
                client.refuse(refusal)
            } else if count + clients.count >= Self.clientsMax {
                client.refuse(
                    "this board is already in use by \(Self.clientsMax) programs "
                        + "and engines, the maximum")
            }
            clients.append(client)
        }
        return clients
    }

    /// Returns the host time at which the connection of a program ends unless the program sends a
    /// message or reads its last message.
    private func deadline(of client: Client) -> HostTime {
        if let time = client.overAt.withLock({ $0 }) { return time + Self.lastMessageTime }
        let lastReceived = client.lastReceived.withLock { $0 }
        if !client.isGreeted { return lastReceived + Self.greetingTime }
        return listener.isRemote ? lastReceived + Self.silenceLimit : .never
    }

    /// Reads the messages that have arrived, and writes the messages that are waiting. A program that
    /// sends faster than its messages are handled is considered silent until all of its bytes have
    /// been read: it may have sent these bytes before it failed.
    private func receive(from client: Client) {
        client.connection.flush()
        guard !client.isOver, client.connection.read() else { return }
        let mailbox = client.mailbox.withLock { $0 }
        mailbox?.recordActivity()
        // Data from a program counts as a sign of life only after the program has stated its
        // purpose.
        if mailbox != nil { client.lastReceived.withLock { $0 = Link.now() } }
    }

    /// Handles messages that have arrived. A program that sends an invalid message is rejected.
    private func serve(_ client: Client) {
        guard isServed(client), !mustWait(client) else { return }
        do {
            for _ in 0..<Self.messagesOfTurn {
                guard let message = try client.connection.next() else { break }
                client.post(try handle(message, from: client))
                if client.isPreparing.withLock(\.self) { break }
            }
        } catch MessageConnection.Failure.ended {
            client.finish()
            client.mailbox.withLock { $0 }?.post(.stop)
        } catch {
            reject(client, error)
        }
    }

    private func reject(_ client: Client, _ error: any Error) {
        client.mailbox.withLock { $0 }?.post(.stop)
        client.refuse("invalid message: \(WireError(error))")
    }

    /// Handles a message with a large pattern on a separate thread, so that no other program must
    /// wait.
    private func prepare(_ message: ClientMessage, of client: Client) {
        client.isPreparing.withLock { $0 = true }
        preparation.async { [self] in
            do {
                client.post(try client.requests.withLock { try $0.handle(message) })
            } catch {
                reject(client, error)
            }
            client.isPreparing.withLock { $0 = false }
            eventSignal.signal()
        }
    }

    /// Returns whether the messages from a program are currently handled.
    private func isServed(_ client: Client) -> Bool {
        !client.isOver && !client.isPreparing.withLock(\.self)
            && (client.isGreeted || stage.withLock { $0 == .open })
    }

    /// Returns whether a program must wait because the board's thread has not handled its earlier
    /// requests.
    private func mustWait(_ client: Client) -> Bool {
        (client.mailbox.withLock { $0 }?.posts ?? 0) >= Self.postsMax
            || client.output.withLock { $0 }?.isBusy == true
    }

    /// The maximum number of posts of a program that wait for the board's thread.
    private static let postsMax = 64
    /// The polling interval for a program with `postsMax` waiting posts, in microseconds.
    private static let waitInterval: Microseconds = 2_000

    /// The maximum number of messages from a program that are handled in one turn.
    private static let messagesOfTurn = 16

    private func isGone(_ client: Client) -> Bool {
        guard
            client.connection.isBroken || client.isOver && !client.connection.hasBacklog
                || deadline(of: client) <= Link.now()
        else { return false }
        client.end()
        return true
    }

    /// Handles a message. Returns the requests for the board's thread that take effect now.
    private func handle(_ data: Data, from client: Client) throws -> [EngineRequest] {
        guard client.isGreeted else {
            try greet(client, data)
            return []
        }
        let message = try ClientMessage(reading: data)
        switch message.kind {
        case nil: try client.connection.send(ServerMessage.unknown(message.type))
        case .alive: try client.connection.send(ServerMessage(.alive))
        case .clock:
            let sent = HostTime(microseconds: try message.need(\.time, "time"))
            try client.connection.send(ServerMessage.clock(sent: sent, at: Link.now()))
        case .output: try answer(message, from: client)
        default:
            guard !client.requests.withLock({ $0.isSlow(message) }) else {
                prepare(message, of: client)
                return []
            }
            return try client.requests.withLock { try $0.handle(message) }
        }
        return []
    }

    /// Answers an output query.
    private func answer(_ message: ClientMessage, from client: Client) throws {
        guard let output = client.output.withLock(\.self) else {
            throw WireError(
                description: "output: the member `output` of `hello` must be true")
        }
        guard message.time ?? 0 >= 0 else {
            throw WireError(description: "output: a time or a value is out of range")
        }
        let player = message.player.map { PlayerID(number: $0) }
        output.answer(player, at: HostTime(microseconds: message.time ?? 0)) { [eventSignal] in
            try? client.connection.send(ServerMessage.output($0, of: player, at: message.time))
            if client.connection.hasBacklog { eventSignal.signal() }
        }
    }

    private func greet(_ client: Client, _ data: Data) throws {
        /// The part of the first message that is the same in every version of the protocol.
        struct Version: Codable { var version: Int }

        let version = try Version(reading: data).version
        guard version == ClientMessage.version else {
            return client.refuse(
                "the program that serves this board uses version \(ClientMessage.version) of the "
                    + "server protocol, but this program uses version \(version); install the same "
                    + "version of both programs, and end the program that serves the board")
        }
        let hello = try ClientMessage(reading: data)
        let output = hello.output == true ? ClientOutput() : nil
        let mailbox = EngineMailbox(
            for: try hello.greeting(), of: hello.program ?? "a program", eventSignal: boardSignal
        ) { [eventSignal] _, report in
            output?.follow(report)
            try? client.connection.send(ServerMessage(of: report))
            if report.isLast { client.finish() }
            if report.isLast || client.connection.hasBacklog { eventSignal.signal() }
        }
        guard !listener.isRemote || mailbox.purpose.isForRemotePrograms else {
            return client.refuse(
                "a page, or a program on another computer, may only play on, query and stop this "
                    + "board; for everything else, use a program on the computer to which the board "
                    + "is connected")
        }
        client.output.withLock { $0 = output }
        client.mailbox.withLock { $0 = mailbox }
        if !admit(mailbox) { client.finish() }
    }
}

extension BoardThread {
    /// Assigns an engine to the thread of its board, which other programs of the user may also use.
    package static func serve(
        _ mailbox: EngineMailbox, _ source: BoardSource, at identity: BoardIdentity
    ) throws {
        try serve(mailbox, source, at: identity) { port, eventSignal, admit in
            try BoardServer(port: port, eventSignal: eventSignal, admit: admit)
        }
    }
}
