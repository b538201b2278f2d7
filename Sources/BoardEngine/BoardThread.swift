// BoardThread: the single thread of a board on which its engines run. It owns the link; other threads
// post requests to it.

import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

/// The service through which other programs of the same user share a board.
package protocol PublishedBoard: Sendable {
    /// Creates the service for the board at a port.
    ///
    /// - Parameters:
    ///   - eventSignal: the signal that wakes the board's thread.
    ///   - admit: a closure that passes a new mailbox to that thread. It returns false if the
    ///     thread has ended.
    /// - Throws: an error if no other program could use the board.
    typealias Maker =
        @Sendable (
            _ port: String, _ eventSignal: EventSignal,
            _ admit: @escaping @Sendable (EngineMailbox) -> Bool
        ) throws -> any PublishedBoard

    /// Stops accepting programs, because the board is being released.
    func letGo()
    /// Closes the service and its connections.
    func close()
}

/// The thread of a board. It runs from the start of the board's first engine until the board's last
/// engine has stopped.
package final class BoardThread: Sendable {
    private let source: BoardSource
    private let identity: BoardIdentity
    private let publish: PublishedBoard.Maker
    private let eventSignal: EventSignal

    /// The state of a loop that is running.
    private struct Running {
        package let loop: BoardThread
        /// The new mailboxes that the thread has not taken yet.
        package var newcomers: [EngineMailbox] = []
        /// The identity of the port at which the loop found its board; nil until the board has been
        /// found.
        package var port: BoardIdentity?
    }

    /// The loops that are running in a program.
    private final class Registry: Sendable {
        let searches = BoardSearches()
        package let loops = LockedValue<[BoardIdentity: Running]>([:])
    }

    private static var registry: Registry { HostProgram.current.value { Registry() } }
    private static var searches: BoardSearches { registry.searches }
    private static var loops: LockedValue<[BoardIdentity: Running]> { registry.loops }

    private init(
        _ source: BoardSource, _ identity: BoardIdentity, _ publish: @escaping PublishedBoard.Maker
    ) throws {
        self.source = source
        self.publish = publish
        self.identity = identity
        eventSignal = try EventSignal()
    }

    /// Assigns an engine to the thread of its board. If there is no thread, a new one connects to
    /// the board first.
    ///
    /// - Parameters:
    ///   - wanted: the current identity of the board.
    ///   - publish: a closure that creates the service for other programs.
    /// - Throws: `HapticError` if the process has no file descriptors left.
    package static func serve(
        _ mailbox: EngineMailbox, _ source: BoardSource, at wanted: BoardIdentity,
        publish: @escaping PublishedBoard.Maker
    ) throws {
        try loops.withLock { loops in
            let identity = find(wanted, in: loops)
            var running: Running
            if let present = loops[identity] {
                running = present
            } else {
                do {
                    running = Running(loop: try BoardThread(source, identity, publish))
                } catch {
                    throw HapticError(connecting: error)
                }
                if identity == .automatic { searches.enter() }
                running.loop.begin()
            }
            mailbox.move(to: running.loop.eventSignal)
            running.newcomers.append(mailbox)
            loops[identity] = running
            running.loop.eventSignal.signal()
        }
    }

    /// Returns whether a thread of this process already serves the board.
    package static func isRunning(at wanted: BoardIdentity) -> Bool {
        loops.withLock { $0[find(wanted, in: $0)] != nil }
    }

    /// Withdraws an engine that its board's thread has not taken yet, because the thread is still
    /// connecting. Returns true if the engine was withdrawn and has therefore ended.
    package static func withdraw(_ engine: EngineMailbox) -> Bool {
        loops.withLock { loops in
            let identity = loops.first { $0.value.newcomers.contains { $0 === engine } }?.key
            guard let identity else { return false }
            loops[identity]!.newcomers.removeAll { $0 === engine }
            loops[identity]!.loop.eventSignal.signal()
            return true
        }
    }

    /// Returns the identity of the running loop that already serves the wanted board, even if that
    /// loop uses another identity for the board or found it by a search. Returns `wanted` if there
    /// is not exactly one such loop.
    private static func find(
        _ wanted: BoardIdentity, in loops: [BoardIdentity: Running]
    ) -> BoardIdentity {
        if loops[wanted] != nil { return wanted }
        let known =
            switch wanted {
            case .port: loops.filter { $0.value.port == wanted }
            case .automatic: loops.filter { if case .port = $0.key { true } else { false } }
            case .serialNumber, .board, .own: [:] as [BoardIdentity: Running]
            }
        return known.count == 1 ? known.first!.key : wanted
    }

    private func begin() {
        Thread.start("haptic-bridge", qualityOfService: .userInteractive) { self.run() }
    }

    private func run() {
        var isSearchAnnounced = identity == .automatic
        while isWanted(orEnd: true) {
            if isPort, handOver() { return }
            if identity == .automatic, !isSearchAnnounced { Self.searches.enter() }
            isSearchAnnounced = false
            // The process may end when the service ends, so other programs receive their reports
            // first.
            let ends = serve()
            for end in ends where end.engine.purpose != .service { tell(end) }
            for end in ends where end.engine.purpose == .service { tell(end) }
            forgetLatecomers()
        }
        if isSearchAnnounced { Self.searches.leave() }
    }

    private var isPort: Bool { if case .port = identity { true } else { false } }

    /// Moves the engines to another loop if the search of that other loop has found their board in
    /// the meantime. Returns whether the engines were moved.
    ///
    /// A search in this program must end first, because it holds the ports that it probes.
    private func handOver() -> Bool {
        Self.searches.wait()
        return Self.loops.withLock { loops in
            guard var host = loops[.automatic], host.port == identity else { return false }
            let engines = loops[identity]?.newcomers ?? []
            for engine in engines { engine.move(to: host.loop.eventSignal) }
            host.newcomers += engines
            loops[.automatic] = host
            loops[identity] = nil
            host.loop.eventSignal.signal()
            return true
        }
    }

    /// Connects to the board. For a loop that searches for its board, also records that the search
    /// has ended.
    private func connect() throws -> (HapticBoard, SettingsWatch) {
        defer { if identity == .automatic { Self.searches.leave() } }
        let settings = try SettingsWatch()
        let board = try source.connect { self.isWanted() }
        let port = BoardIdentity(port: board.path)
        Self.loops.withLock { $0[identity]?.port = port }
        do {
            try board.apply(settings.present.settings)
            return (board, settings)
        } catch {
            board.close()
            throw error
        }
    }

    /// Connects, and serves engines and other programs until the port is closed. Returns the final
    /// reports of the engines that were served until the end.
    private func serve() -> [EngineEnd] {
        do {
            let (board, settings) = try connect()
            board.link.transport.eventSignal = eventSignal
            let server = server(at: board.path)
            defer {
                server?.letGo()
                board.close()
                server?.close()
            }
            return BoardService(
                board, settings: settings, newcomers: takeNewcomers, tell: tell
            ).serve()
        } catch is CancellationError {
            // Engines that arrived after the attempt was canceled get a new connection.
            return []
        } catch {
            return takeNewcomers().map { ($0, .failed(HapticError(connecting: error))) }
        }
    }

    /// Creates the socket for other programs. If that fails, only this program can use the board,
    /// and its engines receive the reason.
    private func server(at port: String) -> (any PublishedBoard)? {
        do {
            return try publish(port, eventSignal) { self.admit($0) }
        } catch {
            let engines = Self.loops.withLock { $0[identity]?.newcomers ?? [] }
            for engine in engines { engine.tell(.unshared("\(error)")) }
            return nil
        }
    }

    /// Accepts a mailbox from another program. Returns false if the board has just been released.
    private func admit(_ mailbox: EngineMailbox) -> Bool {
        let isRunning = Self.loops.withLock { loops in
            loops[identity]?.newcomers.append(mailbox)
            return loops[identity] != nil
        }
        if isRunning { eventSignal.signal() }
        return isRunning
    }

    /// Discards the requests of other programs that arrived while the port was being closed. Also
    /// closes the connections of these programs, so that they find the port free or connect again.
    private func forgetLatecomers() {
        Self.loops.withLock { $0[identity]?.newcomers.removeAll { $0.program != nil } }
    }

    /// Returns whether an engine is waiting for the board.
    ///
    /// - Parameter mayEnd: true if the loop ends when no engine is waiting; the next engine then
    ///   gets a new thread.
    private func isWanted(orEnd mayEnd: Bool = false) -> Bool {
        Self.loops.withLock { loops in
            let isWanted = loops[identity]?.newcomers.isEmpty == false
            if mayEnd, !isWanted { loops[identity] = nil }
            return isWanted
        }
    }

    private func takeNewcomers() -> [EngineMailbox] {
        Self.loops.withLock { loops in
            let newcomers = loops[identity]?.newcomers ?? []
            loops[identity]?.newcomers = []
            return newcomers
        }
    }

    /// Reports to an engine that it has ended.
    private func tell(_ end: EngineEnd) {
        end.engine.tell(end.report)
    }
}
