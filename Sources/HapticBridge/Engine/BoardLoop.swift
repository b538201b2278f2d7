// BoardLoop: the one thread of a board that engines run on. It owns the link; everyone else leaves
// requests.

import BridgeLink
import Foundation

/// What an engine is told at its end.
private typealias Ending = (engine: EngineMailbox, report: EngineReport)

/// The thread of a board, from the start of the first engine on it to the stop of the last.
final class BoardLoop: Sendable {
    private let device: HapticDevice
    private let identity: HapticDevice.Identity
    private let wakeUp: WakeUp

    /// A loop that runs.
    private struct Running {
        let loop: BoardLoop
        /// Engines that it has not seen yet.
        var newcomers: [EngineMailbox] = []
        /// All that have not ended.
        var engines: [EngineMailbox] = []
        /// Where it has found its board.
        var port: HapticDevice.Identity?
    }

    /// Entered while a loop searches for its board: it may find the one whose port another one names.
    private static let searches = DispatchGroup()

    private static let loops = Guarded<[HapticDevice.Identity: Running]>([:])

    private init(_ device: HapticDevice, _ identity: HapticDevice.Identity) throws {
        self.device = device
        self.identity = identity
        wakeUp = try WakeUp()
    }

    /// Has an engine served by the thread of its board, which connects first if it is new.
    ///
    /// - Parameter wanted: that of the engine's device now.
    /// - Throws: `HapticError` if the process has no descriptors left.
    static func serve(
        _ engine: EngineCore, at wanted: HapticDevice.Identity
    ) throws -> EngineMailbox {
        try serve(engine.device, at: wanted) { EngineMailbox(engine, wakeUp: $0) }
    }

    /// Has the board asked what it is: the answer is `surveyed` or `failed`.
    static func survey(
        _ device: HapticDevice, _ answer: @escaping @Sendable (EngineReport) -> Void
    ) throws {
        _ = try serve(device, at: device.identity()) {
            EngineMailbox(wakeUp: $0, survey: answer)
        }
    }

    private static func serve(
        _ device: HapticDevice, at wanted: HapticDevice.Identity,
        _ makeMailbox: (WakeUp) -> EngineMailbox
    ) throws -> EngineMailbox {
        try loops.withLock { loops in
            let identity = find(wanted, in: loops)
            var running: Running
            if let present = loops[identity] {
                running = present
            } else {
                do {
                    running = Running(loop: try BoardLoop(device, identity))
                } catch {
                    throw HapticError(connecting: error)
                }
                if identity == .automatic { searches.enter() }
                running.loop.begin()
            }
            let mailbox = makeMailbox(running.loop.wakeUp)
            running.newcomers.append(mailbox)
            running.engines.append(mailbox)
            loops[identity] = running
            running.loop.wakeUp.signal()
            return mailbox
        }
    }

    /// Takes an engine back that its board's thread has not seen yet, as it still connects. Returns
    /// whether that is so: then it has ended.
    static func withdraw(_ engine: EngineMailbox) -> Bool {
        loops.withLock { loops in
            let identity = loops.first { $0.value.newcomers.contains { $0 === engine } }?.key
            guard let identity else { return false }
            loops[identity]!.newcomers.removeAll { $0 === engine }
            loops[identity]!.engines.removeAll { $0 === engine }
            loops[identity]!.loop.wakeUp.signal()
            return true
        }
    }

    /// The board of a loop that runs, if it is the one that is wanted: by another path, or found.
    private static func find(
        _ wanted: HapticDevice.Identity, in loops: [HapticDevice.Identity: Running]
    ) -> HapticDevice.Identity {
        if loops[wanted] != nil { return wanted }
        let known =
            switch wanted {
            case .port: loops.filter { $0.value.port == wanted }
            case .automatic: loops.filter { if case .port = $0.key { true } else { false } }
            case .serialNumber, .board, .own: [:] as [HapticDevice.Identity: Running]
            }
        return known.count == 1 ? known.first!.key : wanted
    }

    /// The engines that are served on a board.
    static func engines(on device: HapticDevice) -> [EngineCore] {
        let wanted = device.identity()
        return loops.withLock { loops in loops[find(wanted, in: loops)]?.engines ?? [] }
            .compactMap(\.engine)
    }

    private func begin() {
        // No queue: where many threads of a program wait, its queues get theirs seconds later.
        let thread = Thread { self.run() }
        thread.name = "haptic-bridge"
        thread.qualityOfService = .userInteractive
        thread.start()
    }

    private func run() {
        var isSearchAnnounced = identity == .automatic
        while isWanted(orEnd: true) {
            if isPort, handOver() { return }
            if identity == .automatic, !isSearchAnnounced { Self.searches.enter() }
            isSearchAnnounced = false
            for end in serve() { tell(end) }
        }
        if isSearchAnnounced { Self.searches.leave() }
    }

    private var isPort: Bool { if case .port = identity { true } else { false } }

    /// Leaves engines to the loop that has found their board by a search meanwhile, if one has.
    ///
    /// A search in this program is waited for: it holds the ports that it asks.
    private func handOver() -> Bool {
        Self.searches.wait()
        return Self.loops.withLock { loops in
            guard var host = loops[.automatic], host.port == identity else { return false }
            let engines = loops[identity]?.newcomers ?? []
            for engine in engines { engine.move(to: host.loop.wakeUp) }
            host.newcomers += engines
            host.engines += engines
            loops[.automatic] = host
            loops[identity] = nil
            host.loop.wakeUp.signal()
            return true
        }
    }

    /// Connects, and ends the search if this is one.
    private func connect() throws -> HapticBoard {
        defer { if identity == .automatic { Self.searches.leave() } }
        let settings = try HapticSettings(file: HapticSettings.file)
        let board = try device.connect { self.isWanted() }
        let port = HapticDevice.Identity(port: board.path)
        Self.loops.withLock { $0[identity]?.port = port }
        do {
            try board.apply(settings)
            return board
        } catch {
            board.close()
            throw error
        }
    }

    /// Connects and serves engines until the port is given back. Returns what those are to be told who
    /// were there to the last.
    private func serve() -> [Ending] {
        do {
            let board = try connect()
            defer { board.close() }
            board.link.transport.wakeUp = wakeUp
            return BoardService(board, newcomers: takeNewcomers, tell: tell).serve()
        } catch is CancellationError {
            // Whoever came since then is connected for anew.
            return []
        } catch {
            return takeNewcomers().map { ($0, .failed(HapticError(connecting: error))) }
        }
    }

    /// Whether an engine waits for the board.
    ///
    /// - Parameter mayEnd: if there is none, the next engine gets a thread of its own.
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

    /// Tells an engine of its end.
    private func tell(_ end: Ending) {
        Self.loops.withLock { $0[identity]?.engines.removeAll { $0 === end.engine } }
        end.engine.tell(end.report)
    }
}

/// What the thread does with its board.
private final class BoardService {
    private let board: HapticBoard
    private var engines: [EngineService] = []
    private let newcomers: () -> [EngineMailbox]
    private let tell: (Ending) -> Void

    /// The longest sleep, in microseconds.
    private static let longestWait: Microseconds = 200_000
    /// How long a board that was reset may take to answer, resets meanwhile included.
    private static let recoveryTime: Microseconds = 10_000_000

    init(
        _ board: HapticBoard, newcomers: @escaping () -> [EngineMailbox],
        tell: @escaping (Ending) -> Void
    ) {
        self.board = board
        self.newcomers = newcomers
        self.tell = tell
    }

    private func admit(_ newcomers: [EngineMailbox]) {
        let now = Link.now()
        for newcomer in newcomers { newcomer.tell(.connected(board.place)) }
        engines += newcomers.map {
            EngineService($0, on: board.welcome, isOn: board.settings.isOn, at: now)
        }
    }

    /// Serves until all engines have ended. Returns what the last of them are to be told.
    func serve() -> [Ending] {
        while true {
            do {
                try turn()
            } catch LinkEnd.sessionLost where recover() {
                let now = Link.now()
                for index in engines.indices {
                    engines[index].boardWasReset(board.welcome, at: now)
                }
            } catch LinkEnd.sessionLost {
                lose(HapticError(.serverInterrupted, "the board was reset"))
            } catch {
                lose(HapticError(connecting: error))
            }
            dismissEnded()
            if !engines.contains(where: { $0.end == nil }) {
                return engines.map { ($0.mailbox, $0.end!) }
            }
        }
    }

    /// Tells those that have ended; the last of them are told once the port is given back.
    private func dismissEnded() {
        guard engines.contains(where: { $0.end == nil }) else { return }
        let ended = engines.compactMap { engine in engine.end.map { (engine.mailbox, $0) } }
        engines.removeAll { $0.end != nil }
        for end in ended { tell(end) }
    }

    /// Says what is to be said, and waits for an answer, a deadline or a request.
    private func turn() throws {
        // Who is first has the line first: each in its turn.
        if !engines.isEmpty { engines.append(engines.removeFirst()) }
        admit(newcomers())
        let link = board.link
        var deadline = Link.now() + Self.longestWait
        link.withSession { session, now in
            for index in engines.indices {
                let others = (engines[..<index] + engines[(index + 1)...])
                    .filter { $0.end == nil }
                engines[index].advance(&session, at: now, beside: others)
                deadline = min(
                    deadline, engines[index].nextDeadline(session, at: now) ?? deadline)
            }
        }
        logFrames()
        try link.step(until: deadline)
        try link.withSession { session, now in
            while let event = session.nextEvent() {
                for index in engines.indices {
                    engines[index].handle(event, &session, at: now)
                }
            }
            if let reason = session.endReason { throw reason }
        }
    }

    /// Has every engine's log see the frames of its board.
    private func logFrames() {
        let loggers = engines.compactMap(\.logger)
        guard !loggers.isEmpty else {
            board.link.frameObserver = nil
            return
        }
        board.link.frameObserver = { direction, frame in
            for logger in loggers { logger.trace(frame, direction) }
        }
    }

    /// Begins a new session after a reset; nothing from before is in it.
    private func recover() -> Bool {
        let deadline = Link.now() + Self.recoveryTime
        while Link.now() < deadline {
            do {
                try board.reconnect(within: deadline - Link.now()) { self.isWanted() }
                return true
            } catch LinkEnd.sessionLost {
                continue
            } catch {
                return false
            }
        }
        return false
    }

    /// Whether an engine waits for the board to come back. One that is to stop does not: a board that
    /// was reset is at rest.
    private func isWanted() -> Bool {
        for index in engines.indices where engines[index].mailbox.isToStop {
            engines[index].boardIsAtRest()
        }
        dismissEnded()
        return engines.contains { $0.end == nil }
    }

    private func lose(_ error: HapticError) {
        for index in engines.indices { engines[index].lose(error) }
    }
}
