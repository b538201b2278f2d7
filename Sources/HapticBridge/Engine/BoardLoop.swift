// EngineLoop: the one thread of a started engine. It owns the link; everyone else leaves requests.

import BridgeLink
import Dispatch
import HapticCompiler

/// What is asked of the loop, from any thread.
enum EngineRequest: Sendable {
    case perform(PlayerCommand, PlayerID)
    case mute(Bool)
    /// Ends the loop when nothing has played for so long; nil: never.
    case shutDown(afterIdle: Microseconds?)
    /// Goes on after a reset of the board.
    case restart
    /// Brings everything to rest and ends the loop.
    case stop
}

/// What the loop tells, on its own thread and in order.
enum EngineReport: Sendable {
    /// The board plays what is asked for from now on.
    case started
    /// There is no board, or it cannot play. The loop has ended.
    case failed(HapticError)
    /// These players are over.
    case finished([PlayerID])
    /// The board was reset and is in a new session; it waits for `restart`.
    case reset
    /// The board is gone. The loop has ended.
    case lost(HapticError)
    /// Nothing has played for long enough. The loop has ended.
    case idle
    /// The loop has ended because it was asked to.
    case stopped
}

/// The thread of one run of an engine, from its start to its stop.
final class EngineLoop: Sendable {
    private let device: HapticDevice
    private let locality: HapticLocality
    private let wakeUp: WakeUp
    private let requests = Guarded<[EngineRequest]>([])
    private let report: @Sendable (EngineLoop, EngineReport) -> Void

    init(
        _ device: HapticDevice, at locality: HapticLocality,
        report: @escaping @Sendable (EngineLoop, EngineReport) -> Void
    ) throws {
        self.device = device
        self.locality = locality
        self.report = report
        wakeUp = try WakeUp()
    }

    /// Starts the thread, which connects first.
    func begin() {
        // A queue of its own is a thread of its own for as long as the loop takes.
        DispatchQueue(label: "haptic-bridge.board", qos: .userInteractive).async { self.run() }
    }

    /// Leaves a request, and wakes the thread.
    func post(_ request: EngineRequest) {
        requests.withLock { $0.append(request) }
        wakeUp.signal()
    }

    private func run() {
        let board: HapticBoard
        do {
            let settings = try HapticSettings(file: HapticSettings.file)
            board = try device.connect()
            try board.apply(settings)
        } catch {
            return report(self, .failed(HapticError(connecting: error)))
        }
        board.link.transport.wakeUp = wakeUp
        let service = BoardService(board, at: locality) { self.report(self, $0) }
        let end = service.serve { self.takeRequests() }
        board.close()
        report(self, end)
    }

    private func takeRequests() -> [EngineRequest] {
        requests.withLock { requests in
            defer { requests.removeAll(keepingCapacity: true) }
            return requests
        }
    }
}

/// What the thread does with its board.
private final class BoardService {
    private let board: HapticBoard
    private let locality: HapticLocality
    private let report: (EngineReport) -> Void
    private var live: LiveStream?
    private var isMuted = false
    private var idleTimeout: Microseconds?
    /// When something played last.
    private var busyAt = Link.now()

    /// Until the clocks are known as well as this, nothing can be dated.
    private static let clockError: Microseconds = 500
    private static let clockTimeout: Microseconds = 500_000
    /// The longest sleep, in microseconds.
    private static let longestWait: Microseconds = 200_000

    init(
        _ board: HapticBoard, at locality: HapticLocality,
        _ report: @escaping (EngineReport) -> Void
    ) {
        self.board = board
        self.locality = locality
        self.report = report
    }

    /// Serves until the board is gone or a request ends it. Returns the last report.
    func serve(_ requests: () -> [EngineRequest]) -> EngineReport {
        do {
            try open()
        } catch {
            return .failed(HapticError(opening: error))
        }
        report(.started)
        while true {
            do {
                for request in requests() {
                    if case .stop = request { return stop() }
                    try take(request)
                }
                try turn()
                if hasIdled { return shutDown() }
            } catch LinkEnd.sessionLost {
                guard recover() else {
                    return .lost(HapticError(.serverInterrupted, "the board was reset"))
                }
                report(.reset)
            } catch {
                return .lost(HapticError(connecting: error))
            }
        }
    }

    /// Compares the clocks and opens the stream.
    private func open() throws {
        let link = board.link
        let deadline = Link.now() + Self.clockTimeout
        try link.run(until: deadline) { event in
            guard case .clockSampled(let estimate, _) = event else { return false }
            return estimate.errorBound <= Self.clockError
        }
        let statuses = try (0..<board.welcome.actuators).map { try link.actuator($0) }
        let mask = try locality.mask(of: statuses)
        let first = statuses[Int(mask.indices[0])]
        if isMuted { mute() }
        var stream = LiveStream(actuators: mask, profile: first.kind == .erm ? .erm : .lra)
        link.withSession { stream.begin(&$0, at: $1) }
        while stream.phase != .open {
            try link.run(until: Link.now() + Self.longestWait) { event in
                link.withSession { stream.handle(event, &$0, at: $1) }
                return stream.phase == .open || stream.failure != nil
            }
            if let failure = stream.failure { throw failure }
        }
        live = stream
    }

    private func mute() {
        let isMuted = isMuted || !board.settings.isOn
        board.link.withSession { session, _ in _ = session.mute(.all, isMuted) }
    }

    private func take(_ request: EngineRequest) throws {
        switch request {
        case .perform(let command, let player): live?.perform(command, of: player)
        case .mute(let isMuted):
            self.isMuted = isMuted
            mute()
        case .shutDown(let timeout): idleTimeout = timeout
        case .restart:
            try open()
            report(.started)
        case .stop: break
        }
    }

    /// Says what is to be said, and waits for an answer, a deadline or a request.
    private func turn() throws {
        let link = board.link
        var deadline = Link.now() + Self.longestWait
        link.withSession { session, now in
            live?.advance(&session, at: now)
            deadline = min(deadline, live?.nextDeadline(session, at: now) ?? deadline)
        }
        try link.step(until: deadline)
        try link.withSession { session, now in
            while let event = session.nextEvent() { live?.handle(event, &session, at: now) }
            if let reason = session.endReason { throw reason }
        }
        if let failure = live?.failure { throw failure }
        if live?.isBusy == true { busyAt = Link.now() }
        if let finished = live?.takeFinished(at: Link.now()), !finished.isEmpty {
            report(.finished(finished))
        }
    }

    /// Begins a new session after a reset; nothing from before is in it.
    private func recover() -> Bool {
        live = nil
        let wakeUp = board.link.transport.wakeUp
        guard (try? board.reconnect()) != nil else { return false }
        board.link.transport.wakeUp = wakeUp
        return true
    }

    private var hasIdled: Bool {
        guard let idleTimeout, live?.isBusy == false else { return false }
        return Link.now() - busyAt >= idleTimeout
    }

    private func shutDown() -> EngineReport {
        _ = stop()
        return .idle
    }

    /// Everything comes to rest at once.
    private func stop() -> EngineReport {
        live = nil
        try? board.stop()
        return .stopped
    }
}

extension HapticError {
    /// Why a board that answered cannot play.
    fileprivate init(opening error: any Error) {
        switch error {
        case PlaybackError.rejected(let reject) where reject.code == .unconfigured:
            self.init(
                .notSupported,
                "the actuator is not configured; `bridge actuator set` tells the board what it is")
        case let error as PlaybackError: self.init(.notSupported, "\(error)")
        case let error as LocalityError: self.init(.notSupported, "\(error)")
        default: self.init(connecting: error)
        }
    }
}
