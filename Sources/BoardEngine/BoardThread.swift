// BoardThread: the thread on which all engines of a board run. This thread owns the link to the
// board; other threads post requests to it.

import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

/// The service through which other programs of the same user share a board.
package protocol PublishedBoard: Sendable {
    /// Creates the service for the board on a port.
    ///
    /// - Parameters:
    ///   - eventSignal: the signal that wakes the board's thread.
    ///   - admit: a closure that passes a new mailbox to the board's thread. The closure returns
    ///   false if the thread has ended.
    /// - Throws: an error if the board cannot be shared with other programs.
    typealias Maker =
        @Sendable (
            _ port: String, _ eventSignal: EventSignal,
            _ admit: @escaping @Sendable (EngineMailbox) -> Bool
        ) throws -> any PublishedBoard

    /// Stops accepting programs, because the board is being released.
    func stopAdmitting()
    /// Closes the service and its connections.
    func close()
}

/// The thread of a board. The thread runs from the start of the board's first engine until the
/// board's last engine has stopped.
package final class BoardThread: Sendable {
    private let source: BoardSource
    private let identity: BoardIdentity
    private let publish: PublishedBoard.Maker
    private let eventSignal: EventSignal

    /// The state of a thread that is running.
    private struct Running {
        package let thread: BoardThread
        /// The new mailboxes that the thread has not admitted yet.
        package var pendingEngines: [EngineMailbox] = []
        /// The identity of the port on which the thread found its board; nil until the board has
        /// been found.
        package var port: BoardIdentity?
    }

    /// The threads that are running in a program.
    private final class Registry: Sendable {
        let searches = BoardSearches()
        package let threads = LockedValue<[BoardIdentity: Running]>([:])
    }

    private static var registry: Registry { HostProgram.current.value { Registry() } }
    private static var searches: BoardSearches { registry.searches }
    private static var threads: LockedValue<[BoardIdentity: Running]> { registry.threads }

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
        try threads.withLock { threads in
            let identity = find(wanted, in: threads)
            var running: Running
            if let present = threads[identity] {
                running = present
            } else {
                do {
                    running = Running(thread: try BoardThread(source, identity, publish))
                } catch {
                    throw HapticError(connecting: error)
                }
                if identity == .automatic { searches.enter() }
                running.thread.begin()
            }
            mailbox.move(to: running.thread.eventSignal)
            running.pendingEngines.append(mailbox)
            threads[identity] = running
            running.thread.eventSignal.signal()
        }
    }

    /// Returns whether a thread of this process already serves the board.
    package static func isRunning(at wanted: BoardIdentity) -> Bool {
        threads.withLock { $0[find(wanted, in: $0)] != nil }
    }

    /// Withdraws an engine that its board's thread has not admitted yet, because the thread is
    /// still connecting. Returns true if the engine was withdrawn and has therefore ended.
    package static func withdraw(_ engine: EngineMailbox) -> Bool {
        threads.withLock { threads in
            let identity = threads.first { $0.value.pendingEngines.contains { $0 === engine } }?.key
            guard let identity else { return false }
            threads[identity]!.pendingEngines.removeAll { $0 === engine }
            threads[identity]!.thread.eventSignal.signal()
            return true
        }
    }

    /// Returns the identity of the running thread that already serves the requested board, even if
    /// that thread identifies the board differently or found it by a search. Returns `wanted` if no
    /// thread or more than one thread serves the board.
    private static func find(
        _ wanted: BoardIdentity, in threads: [BoardIdentity: Running]
    ) -> BoardIdentity {
        if threads[wanted] != nil { return wanted }
        let known =
            switch wanted {
            case .port: threads.filter { $0.value.port == wanted }
            case .automatic: threads.filter { if case .port = $0.key { true } else { false } }
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
            // Other programs receive their reports before the service ends, because the process may
            // end together with the service.
            let ends = serve()
            for end in ends where end.engine.purpose != .service { report(end) }
            for end in ends where end.engine.purpose == .service { report(end) }
            discardLateEngines()
        }
        if isSearchAnnounced { Self.searches.leave() }
    }

    private var isPort: Bool { if case .port = identity { true } else { false } }

    /// Moves the engines to the thread that searches for boards, if its search has found their
    /// board in the meantime. Returns whether the engines were moved.
    ///
    /// Waits for the searches in this program to end, because a search keeps open the ports that it
    /// probes.
    private func handOver() -> Bool {
        Self.searches.wait()
        return Self.threads.withLock { threads in
            guard var host = threads[.automatic], host.port == identity else { return false }
            let engines = threads[identity]?.pendingEngines ?? []
            for engine in engines { engine.move(to: host.thread.eventSignal) }
            host.pendingEngines += engines
            threads[.automatic] = host
            threads[identity] = nil
            host.thread.eventSignal.signal()
            return true
        }
    }

    /// Connects to the board. If the thread searches for its board, also records that the search
    /// has ended.
    private func connect() throws -> (HapticBoard, SettingsWatch) {
        defer { if identity == .automatic { Self.searches.leave() } }
        let settings = try SettingsWatch()
        let board = try source.connect { self.isWanted() }
        let port = BoardIdentity(port: board.path)
        Self.threads.withLock { $0[identity]?.port = port }
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
                server?.stopAdmitting()
                board.close()
                server?.close()
            }
            return BoardService(
                board, settings: settings, pendingEngines: removePendingEngines, report: report
            ).serve()
        } catch is CancellationError {
            // Engines that arrived after the attempt was canceled receive a new connection.
            return []
        } catch {
            return removePendingEngines().map { ($0, .failed(HapticError(connecting: error))) }
        }
    }

    /// Creates the socket for other programs. If creating the socket fails, only this program can
    /// use the board, and its engines receive the reason.
    private func server(at port: String) -> (any PublishedBoard)? {
        do {
            return try publish(port, eventSignal) { self.admit($0) }
        } catch {
            let engines = Self.threads.withLock { $0[identity]?.pendingEngines ?? [] }
            for engine in engines { engine.report(.unshared("\(error)")) }
            return nil
        }
    }

    /// Accepts a mailbox from another program. Returns false if the board has just been released.
    private func admit(_ mailbox: EngineMailbox) -> Bool {
        let isRunning = Self.threads.withLock { threads in
            threads[identity]?.pendingEngines.append(mailbox)
            return threads[identity] != nil
        }
        if isRunning { eventSignal.signal() }
        return isRunning
    }

    /// Discards the mailboxes of other programs that arrived while the port was being closed. The
    /// server closes the connections of these programs, which then find the port free or connect
    /// again.
    private func discardLateEngines() {
        Self.threads.withLock { $0[identity]?.pendingEngines.removeAll { $0.program != nil } }
    }

    /// Returns whether an engine is waiting for the board.
    ///
    /// - Parameter mayEnd: true if the thread ends when no engine is waiting. In that case, a new
    ///   thread is created for the next engine.
    private func isWanted(orEnd mayEnd: Bool = false) -> Bool {
        Self.threads.withLock { threads in
            let isWanted = threads[identity]?.pendingEngines.isEmpty == false
            if mayEnd, !isWanted { threads[identity] = nil }
            return isWanted
        }
    }

    private func removePendingEngines() -> [EngineMailbox] {
        Self.threads.withLock { threads in
            let engines = threads[identity]?.pendingEngines ?? []
            threads[identity]?.pendingEngines = []
            return engines
        }
    }

    /// Reports to an engine that the engine has ended.
    private func report(_ end: EngineEnd) {
        end.engine.report(end.report)
    }
}
