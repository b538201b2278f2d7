// BoardLoop: the one thread of a board that engines run on. It owns the link; everyone else leaves
// requests.

import BridgeLink
import Dispatch

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
    /// - Throws: `HapticError` if the process has no descriptors left.
    static func serve(_ engine: HapticEngine) throws -> EngineMailbox {
        try serve(engine.device) { EngineMailbox(engine, wakeUp: $0) }
    }

    /// Has the board asked what it is: the answer is `surveyed` or `failed`.
    static func survey(
        _ device: HapticDevice, _ answer: @escaping @Sendable (EngineReport) -> Void
    ) throws {
        _ = try serve(device) { EngineMailbox(wakeUp: $0, survey: answer) }
    }

    private static func serve(
        _ device: HapticDevice, _ makeMailbox: (WakeUp) -> EngineMailbox
    ) throws -> EngineMailbox {
        let wanted = device.identity()
        return try loops.withLock { loops in
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

    /// Whether an engine of the program is served at a port.
    static func isAt(_ path: String) -> Bool {
        let port = HapticDevice.Identity(port: path)
        return loops.withLock { loops in loops.values.contains { $0.port == port } }
    }

    /// The engines that are served on a board.
    static func engines(on device: HapticDevice) -> [HapticEngine] {
        let wanted = device.identity()
        return loops.withLock { loops in loops[find(wanted, in: loops)]?.engines ?? [] }
            .compactMap { $0.engine() }
    }

    private func begin() {
        // A queue of its own is a thread of its own for as long as the loop takes.
        DispatchQueue(label: "haptic-bridge.board", qos: .userInteractive).async { self.run() }
    }

    private func run() {
        var isFirst = true
        while true {
            let engines = takeNewcomers(orEnd: true)
            if engines.isEmpty || isPort && handOver(engines) { return }
            if !isFirst, identity == .automatic { Self.searches.enter() }
            isFirst = false
            for end in serve(engines) { tell(end) }
        }
    }

    private var isPort: Bool { if case .port = identity { true } else { false } }

    /// Leaves engines to the loop that has found their board by a search meanwhile, if one has.
    ///
    /// A search in this program is waited for: it holds the ports that it asks.
    private func handOver(_ engines: [EngineMailbox]) -> Bool {
        Self.searches.wait()
        return Self.loops.withLock { loops in
            guard var host = loops[.automatic], host.port == identity else { return false }
            let all = engines + (loops[identity]?.newcomers ?? [])
            for engine in all { engine.move(to: host.loop.wakeUp) }
            host.newcomers += all
            host.engines += all
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
        let board = try device.connect()
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

    /// Serves engines until the port is given back. Returns what those are to be told who were there
    /// to the last.
    private func serve(_ engines: [EngineMailbox]) -> [Ending] {
        do {
            let board = try connect()
            defer { board.close() }
            board.link.transport.wakeUp = wakeUp
            return BoardService(board, engines, newcomers: { self.takeNewcomers() }, tell: tell)
                .serve()
        } catch {
            return engines.map { ($0, .failed(HapticError(connecting: error))) }
        }
    }

    /// - Parameter mayEnd: if there are none, the next engine gets a thread of its own.
    private func takeNewcomers(orEnd mayEnd: Bool = false) -> [EngineMailbox] {
        Self.loops.withLock { loops in
            let newcomers = loops[identity]?.newcomers ?? []
            loops[identity]?.newcomers = []
            if mayEnd, newcomers.isEmpty { loops[identity] = nil }
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
    /// How often a board may be reset while it is connected to anew.
    private static let recoveriesMax = 5

    init(
        _ board: HapticBoard, _ engines: [EngineMailbox],
        newcomers: @escaping () -> [EngineMailbox], tell: @escaping (Ending) -> Void
    ) {
        self.board = board
        self.newcomers = newcomers
        self.tell = tell
        admit(engines)
    }

    private func admit(_ newcomers: [EngineMailbox]) {
        let now = Link.now()
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
            let ended = engines.compactMap { engine in engine.end.map { (engine.mailbox, $0) } }
            if ended.count == engines.count { return ended }
            engines.removeAll { $0.end != nil }
            for end in ended { tell(end) }
        }
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

    /// Begins a new session after a reset; nothing from before is in it.
    private func recover() -> Bool {
        for _ in 0..<Self.recoveriesMax {
            do {
                try board.reconnect()
                return true
            } catch LinkEnd.sessionLost {
                continue
            } catch {
                return false
            }
        }
        return false
    }

    private func lose(_ error: HapticError) {
        for index in engines.indices { engines[index].lose(error) }
    }
}
