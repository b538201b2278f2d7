// BoardServer: the socket at which a program serves its board to others of the user.

import BridgeLink
import Foundation
import POSIX
import SerialPorts

/// Serves a board that this process has open. A thread of its own accepts connections and reads
/// messages; reports are written by the thread of the board, which never waits for a program.
final class BoardServer: Sendable {
    /// A program that is connected.
    private final class Client: Sendable {
        let line: MessageLine
        let mailbox = LockedValue<EngineMailbox?>(nil)
        /// Whether the last message has been sent, so that the connection ends.
        let isOver = LockedValue(false)

        /// The host time at which the program was last heard.
        let heardAt = LockedValue(Link.now())

        init(_ line: MessageLine) { self.line = line }

        /// Stops the engine of the program and closes the connection.
        func end() {
            // The mailbox and the client refer to each other.
            mailbox.exchange(nil)?.post(.stop)
            line.socket.shutDown()
        }

        func refuse(_ reason: String) {
            try? line.send(ServerMessage.refused(reason))
            isOver.withLock { $0 = true }
        }
    }

    private let door: any Door & Sendable
    private let wakeUp: WakeUp
    private let boardWakeUp: WakeUp
    private let admit: @Sendable (EngineMailbox) -> Bool
    private let isClosing = LockedValue(false)

    /// The number of programs that may be connected.
    private static let clientsMax = 64
    /// The time for which last messages are written, in microseconds.
    private static let closingTime: Microseconds = 200_000
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

    /// Stops accepting connections. Those that exist end once their last messages are written.
    func close() {
        door.close()
        isClosing.withLock { $0 = true }
        wakeUp.signal()
    }

    /// Whether a user may use the boards of another one.
    static func accepts(_ user: uid_t?, servedBy own: uid_t = geteuid()) -> Bool { user == own }

    // MARK: The thread

    private func run() {
        var clients: [Client] = []
        var end = HostTime.never
        while true {
            if end == .never, isClosing.withLock({ $0 }) { end = Link.now() + Self.closingTime }
            wait(for: clients, until: end)
            if end == .never { clients += newClients(beside: clients.count) }
            for client in clients { serve(client) }
            clients.removeAll { isGone($0) }
            if Link.now() >= end || end < .never && clients.isEmpty { break }
        }
        for client in clients { client.end() }
    }

    private func wait(for clients: [Client], until end: HostTime) {
        var requests = [wakeUp.request]
        requests += clients.map { $0.line.socket.request(writing: $0.line.hasBacklog) }
        var deadline = end
        if end == .never {
            requests += door.requests
            deadline = clients.map(silentAt).reduce(door.deadline, min)
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

    /// Returns the host time at which a program has been silent for too long.
    private func silentAt(_ client: Client) -> HostTime {
        door.isRemote ? client.heardAt.withLock { $0 } + Self.silenceLimit : .never
    }

    /// Reads and writes what there is. A program that sends nonsense is refused.
    private func serve(_ client: Client) {
        client.line.flush()
        guard !client.isOver.withLock({ $0 }) else { return }
        do {
            var requests: [EngineRequest] = []
            let messages = try client.line.receive()
            if !messages.isEmpty { client.heardAt.withLock { $0 = Link.now() } }
            for message in messages {
                if let request = try take(message, from: client) { requests.append(request) }
            }
            // What has arrived together takes effect together.
            if !requests.isEmpty { client.mailbox.withLock { $0 }?.post(requests) }
        } catch MessageLine.Failure.ended {
            client.isOver.withLock { $0 = true }
            client.mailbox.withLock { $0 }?.post(.stop)
        } catch {
            client.mailbox.withLock { $0 }?.post(.stop)
            client.refuse("a message is not understood: \(error)")
        }
    }

    private func isGone(_ client: Client) -> Bool {
        guard
            client.line.isBroken || client.isOver.withLock({ $0 }) && !client.line.hasBacklog
                || silentAt(client) <= Link.now()
        else { return false }
        client.end()
        return true
    }

    /// Handles a message. Returns what it requests of the board's thread; nil for nothing.
    private func take(_ data: Data, from client: Client) throws -> EngineRequest? {
        guard let mailbox = client.mailbox.withLock({ $0 }) else {
            try greet(client, data)
            return nil
        }
        mailbox.noteAlive()
        let message = try JSONDecoder().decode(ClientMessage.self, from: data)
        guard let request = message.request else {
            try client.line.send(ServerMessage.alive)
            if case .clock(let sent) = message {
                try client.line.send(ServerMessage.clock(sent: sent, at: Link.now()))
            }
            return nil
        }
        if case .perform(let command, _) = request, !command.isPossible {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "a time or a value is out of range"))
        }
        return request
    }

    private func greet(_ client: Client, _ data: Data) throws {
        let version = try JSONDecoder().decode(ClientHello.Version.self, from: data).version
        guard version == ClientHello.version else {
            return client.refuse(
                "the program that serves this board speaks version \(ClientHello.version), and "
                    + "this one version \(version); install the same version of both, and end that "
                    + "program")
        }
        let hello = try JSONDecoder().decode(ClientHello.self, from: data)
        guard hello.purpose != .service else {
            return client.refuse("this board is served already")
        }
        guard !door.isRemote || hello.purpose.isForRemotePrograms else {
            return client.refuse(
                "a program of another computer may play on this board, ask it and stop it; do the "
                    + "rest at the computer to which the board is connected")
        }
        let mailbox = EngineMailbox(
            for: hello.purpose, of: hello.program, wakeUp: boardWakeUp
        ) { [wakeUp] _, report in
            try? client.line.send(ServerMessage.report(report))
            if report.isLast { client.isOver.withLock { $0 = true } }
            if report.isLast || client.line.hasBacklog { wakeUp.signal() }
        }
        client.mailbox.withLock { $0 = mailbox }
        if !admit(mailbox) { client.isOver.withLock { $0 = true } }
    }
}
