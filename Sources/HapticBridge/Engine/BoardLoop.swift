// BoardLoop: the one thread of a board that engines run on. It owns the link; everyone else leaves
// requests.

import BridgeLink
import Dispatch

/// What an engine is told at its end.
private typealias Ending = (engine: EngineMailbox, report: EngineReport)

/// The thread of a board, from the start of the first engine on it to the stop of the last.
final class BoardLoop: Sendable {
    private let device: HapticDevice
    private let wakeUp: WakeUp

    /// Those that run, with the engines that they have not seen yet.
    private static let loops = Guarded<
        [HapticDevice.Identity: (loop: BoardLoop, newcomers: [EngineMailbox])]
    >([:])

    private init(_ device: HapticDevice) throws {
        self.device = device
        wakeUp = try WakeUp()
    }

    /// Has an engine served by the thread of its board, which connects first if it is new.
    ///
    /// - Throws: `TransportError` if the process has no descriptors left.
    static func serve(
        _ device: HapticDevice, at locality: HapticLocality,
        report: @escaping @Sendable (EngineMailbox, EngineReport) -> Void
    ) throws -> EngineMailbox {
        try loops.withLock { loops in
            let running = loops[device.identity]
            let loop = try running?.loop ?? BoardLoop(device)
            let engine = EngineMailbox(at: locality, wakeUp: loop.wakeUp, report: report)
            loops[device.identity] = (loop, (running?.newcomers ?? []) + [engine])
            if running == nil { loop.begin() }
            loop.wakeUp.signal()
            return engine
        }
    }

    private func begin() {
        // A queue of its own is a thread of its own for as long as the loop takes.
        DispatchQueue(label: "haptic-bridge.board", qos: .userInteractive).async { self.run() }
    }

    private func run() {
        while true {
            let engines = takeNewcomers(orEnd: true)
            if engines.isEmpty { return }
            for end in serve(engines) { end.engine.tell(end.report) }
        }
    }

    /// Serves engines until the port is given back. Returns what those are to be told who were there
    /// to the last.
    private func serve(_ engines: [EngineMailbox]) -> [Ending] {
        do {
            let settings = try HapticSettings(file: HapticSettings.file)
            let board = try device.connect()
            defer { board.close() }
            try board.apply(settings)
            board.link.transport.wakeUp = wakeUp
            return BoardService(board, engines) { self.takeNewcomers() }.serve()
        } catch {
            return engines.map { ($0, .failed(HapticError(connecting: error))) }
        }
    }

    /// - Parameter mayEnd: if there are none, the next engine gets a thread of its own.
    private func takeNewcomers(orEnd mayEnd: Bool = false) -> [EngineMailbox] {
        Self.loops.withLock { loops in
            let newcomers = loops[device.identity]?.newcomers ?? []
            loops[device.identity] = mayEnd && newcomers.isEmpty ? nil : (self, [])
            return newcomers
        }
    }
}

/// What the thread does with its board.
private final class BoardService {
    private let board: HapticBoard
    private var engines: [EngineService] = []
    private let newcomers: () -> [EngineMailbox]

    /// The longest sleep, in microseconds.
    private static let longestWait: Microseconds = 200_000

    init(
        _ board: HapticBoard, _ engines: [EngineMailbox],
        newcomers: @escaping () -> [EngineMailbox]
    ) {
        self.board = board
        self.newcomers = newcomers
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
            for (engine, report) in ended { engine.tell(report) }
        }
    }

    /// Says what is to be said, and waits for an answer, a deadline or a request.
    private func turn() throws {
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
        let wakeUp = board.link.transport.wakeUp
        guard (try? board.reconnect()) != nil else { return false }
        board.link.transport.wakeUp = wakeUp
        return true
    }

    private func lose(_ error: HapticError) {
        for index in engines.indices { engines[index].lose(error) }
    }
}
