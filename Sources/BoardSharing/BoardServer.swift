// BoardServer: the socket at which a program serves its board to others of the user.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// Serves a board that this process has open. A thread of its own accepts connections and reads
/// messages; reports are written by the thread of the board, which never waits for a program.
///
/// In each turn all programs are heard before the messages of any are handled, and these are short
/// (``MessageLine/lengthMax``), so that no program can make another one seem silent.
final class BoardServer: PublishedBoard {
    /// A program that is connected.
    private final class Client: Sendable {
        let line: MessageLine
        let mailbox = LockedValue<EngineMailbox?>(nil)
        let requests = LockedValue(ClientRequests())
        /// The host time at which the last message was sent, so that the connection ends; nil before.
        let overAt = LockedValue<HostTime?>(nil)

        /// The host time at which the program was last heard.
        let heardAt = LockedValue(Link.now())

        var isOver: Bool { overAt.withLock { $0 != nil } }

        /// True if the program has said what it wants.
        var isGreeted: Bool { mailbox.withLock { $0 != nil } }

        init(_ line: MessageLine) { self.line = line }

        /// Stops the engine of the program and closes the connection.
        func end() {
            // The mailbox and the client refer to each other.
            mailbox.exchange(nil)?.post(.stop)
            line.socket.shutDown()
        }

        func refuse(_ reason: String) {
            try? line.send(ServerMessage.refused(reason))
            finish()
        }

        /// Ends the connection once the last message is written.
        func finish() { overAt.withLock { $0 = $0 ?? Link.now() } }
    }

    private let door: any Door & Sendable
    private let wakeUp: WakeUp
    private let boardWakeUp: WakeUp
    private let admit: @Sendable (EngineMailbox) -> Bool
    private let stage = LockedValue(Stage.open)

    /// The treatment of programs that come in.
    private enum Stage { case open, letGo, closed }

    /// The number of programs that may be connected.
    private static let clientsMax = 64
    /// The time for which last messages are written when the board is let go, in microseconds, and
    /// that for which the last one of a program is.
    private static let closingTime: Microseconds = 200_000
    private static let lastMessageTime: Microseconds = 2_000_000
    /// The time within which a program must say what it wants, in microseconds.
    private static let greetingTime: Microseconds = 5_000_000
    /// The time of a turn after which the programs are heard again before further messages are
    /// handled, in microseconds.
    private static let turnTime: Microseconds = 20_000
    /// The time after which the connection of a program of another computer that says nothing is
    /// closed: the way to it may be cut without a sign.
    private static let silenceLimit: Microseconds = 10_000_000

    /// Begins to serve programs of the same user. The port must be locked by this process, so that a
    /// socket that is already there belongs to a program that was killed.
    ///
    /// - Parameters:
    ///   - port: the path of the board's port.
    ///   - boardWakeUp: the signal that wakes the board's thread.
    ///   - admit: gives a new mailbox to the board's thread; returns false if that has ended.
    /// - Throws: an error if there is no safe place for the socket.
    convenience init(
        port: String, wakeUp boardWakeUp: WakeUp,
        admit: @escaping @Sendable (EngineMailbox) -> Bool
    ) throws {
        try self.init(LocalDoor(port: port), wakeUp: boardWakeUp, admit: admit)
    }

    /// Begins to serve the programs that come in at a door.
    init(
        _ door: any Door & Sendable, wakeUp boardWakeUp: WakeUp,
        admit: @escaping @Sendable (EngineMailbox) -> Bool
    ) throws {
        self.door = door
        wakeUp = try WakeUp()
        self.boardWakeUp = boardWakeUp
        self.admit = admit
        Thread.start("haptic-bridge.server", qualityOfService: .userInteractive) { self.run() }
    }

    /// Lets no further program use the board, because it is being let go. Programs that come have to
    /// wait for ``close()``, so that they find the port free.
    func letGo() { stage.withLock { $0 = .letGo } }

    /// Stops accepting connections. Those that exist end once their last messages are written.
    func close() {
        door.close()
        stage.withLock { $0 = .closed }
        wakeUp.signal()
    }

    /// Returns whether a user may use the boards of another one.
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
            if end == .never { clients += newClients(beside: clients.count) }
            for client in clients { hear(client) }
            let turnEnds = Link.now() + Self.turnTime
            for client in clients where Link.now() < turnEnds { serve(client) }
            clients.removeAll { isGone($0) }
            // The next turn begins with another one.
            if !clients.isEmpty { clients.append(clients.removeFirst()) }
            if Link.now() >= end || end < .never && clients.isEmpty { break }
        }
        for client in clients { client.end() }
    }

    private func wait(for clients: [Client], until end: HostTime) {
        var requests = [wakeUp.request]
        requests += clients.map { client in
            client.line.socket.request(
                reading: !client.isOver && client.line.isToBeRead,
                writing: client.line.hasBacklog)
        }
        var deadline = clients.map(deadline).reduce(end, min)
        if end == .never {
            requests += door.requests
            deadline = min(deadline, door.deadline)
        }
        let now = Link.now()
        for client in clients where isServed(client) && client.line.hasNext {
            deadline = min(deadline, mustWait(client) ? now + Self.waitInterval : now)
        }
        _ = hostClock.poll(&requests, until: deadline)
        if requests[0].revents != 0 { wakeUp.take() }
    }

    private func newClients(beside count: Int) -> [Client] {
        var clients: [Client] = []
        for (line, refusal) in door.newcomers() {
            let client = Client(line)
            if let refusal {
                client.refuse(refusal)
            } else if count + clients.count >= Self.clientsMax {
                client.refuse("\(Self.clientsMax) programs and engines use this board already")
            }
            clients.append(client)
        }
        return clients
    }

    /// Returns the host time at which the connection of a program ends unless it says something, or
    /// reads its last message.
    private func deadline(of client: Client) -> HostTime {
        if let time = client.overAt.withLock({ $0 }) { return time + Self.lastMessageTime }
        let heardAt = client.heardAt.withLock { $0 }
        if !client.isGreeted { return heardAt + Self.greetingTime }
        return door.isRemote ? heardAt + Self.silenceLimit : .never
    }

    /// Reads and writes what there is.
    private func hear(_ client: Client) {
        client.line.flush()
        guard !client.isOver, client.line.read() else { return }
        let mailbox = client.mailbox.withLock { $0 }
        mailbox?.noteAlive()
        // What is not a message yet is no greeting.
        if mailbox != nil { client.heardAt.withLock { $0 = Link.now() } }
    }

    /// Handles messages that have arrived. A program that sends nonsense is refused.
    private func serve(_ client: Client) {
        guard isServed(client) else { return }
        guard !mustWait(client) else {
            // It is alive although nothing is read of it.
            client.mailbox.withLock { $0 }?.noteAlive()
            return
        }
        do {
            for _ in 0..<Self.messagesOfTurn {
                guard let message = try client.line.next() else { break }
                let requests = try take(message, from: client)
                if !requests.isEmpty { client.mailbox.withLock { $0 }?.post(requests) }
            }
        } catch MessageLine.Failure.ended {
            client.finish()
            client.mailbox.withLock { $0 }?.post(.stop)
        } catch {
            client.mailbox.withLock { $0 }?.post(.stop)
            client.refuse("a message is not understood: \(WireError(error))")
        }
    }

    /// Returns whether messages of a program are handled.
    private func isServed(_ client: Client) -> Bool {
        !client.isOver && (client.isGreeted || stage.withLock { $0 == .open })
    }

    /// Returns whether a program has to wait because the board's thread has not taken what it sent before.
    private func mustWait(_ client: Client) -> Bool {
        (client.mailbox.withLock { $0 }?.posts ?? 0) >= Self.postsMax
    }

    /// The posts of a program that may wait for the board's thread, and the time after which those of a program
    /// that waits are counted again, in microseconds.
    private static let postsMax = 64
    private static let waitInterval: Microseconds = 2_000

    /// The messages of a program that are handled in a turn.
    private static let messagesOfTurn = 16

    private func isGone(_ client: Client) -> Bool {
        guard
            client.line.isBroken || client.isOver && !client.line.hasBacklog
                || deadline(of: client) <= Link.now()
        else { return false }
        client.end()
        return true
    }

    /// Handles a message. Returns what is requested of the board's thread now.
    private func take(_ data: Data, from client: Client) throws -> [EngineRequest] {
        guard client.isGreeted else {
            try greet(client, data)
            return []
        }
        let message = try JSONDecoder().decode(ClientMessage.self, from: data)
        switch message.kind {
        case nil: try client.line.send(ServerMessage.unknown(message.type))
        case .alive: try client.line.send(ServerMessage(.alive))
        case .clock:
            let sent = HostTime(microseconds: try message.need(\.time, "time"))
            try client.line.send(ServerMessage.clock(sent: sent, at: Link.now()))
        default: return try client.requests.withLock { try $0.take(message) }
        }
        return []
    }

    private func greet(_ client: Client, _ data: Data) throws {
        /// The part of the first message that every version has.
        struct Version: Codable { var version: Int }

        let version = try JSONDecoder().decode(Version.self, from: data).version
        guard version == ClientMessage.version else {
            return client.refuse(
                "the program that serves this board speaks version \(ClientMessage.version), and "
                    + "this one version \(version); install the same version of both, and end that "
                    + "program")
        }
        let hello = try JSONDecoder().decode(ClientMessage.self, from: data)
        let mailbox = EngineMailbox(
            for: try hello.greeting(), of: hello.program ?? "a program", wakeUp: boardWakeUp
        ) { [wakeUp] _, report in
            try? client.line.send(ServerMessage(of: report))
            if report.isLast { client.finish() }
            if report.isLast || client.line.hasBacklog { wakeUp.signal() }
        }
        guard !door.isRemote || mailbox.purpose.isForRemotePrograms else {
            return client.refuse(
                "a program of another computer may play on this board, ask it and stop it; do the "
                    + "rest at the computer to which the board is connected")
        }
        client.mailbox.withLock { $0 = mailbox }
        if !admit(mailbox) { client.finish() }
    }
}

extension BoardLoop {
    /// Has an engine served by the thread of its board, which other programs of the user may use, too.
    package static func serve(
        _ mailbox: EngineMailbox, _ source: BoardSource, at identity: BoardIdentity
    ) throws {
        try serve(mailbox, source, at: identity) { port, wakeUp, admit in
            try BoardServer(port: port, wakeUp: wakeUp, admit: admit)
        }
    }
}
