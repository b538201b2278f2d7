// MixingRig: several engines on the in-process board, in simulated time without real waiting.

import HapticPatterns
import SerialPorts
import TestSupport
import VirtualBoard

@testable import BoardEngine
@testable import BridgeLink
@testable import HapticBridge

/// The board's side of several engines, with a session and a board on one clock.
final class MixingRig: TracedRig {
    /// An engine, and the reports that it has received.
    final class Engine {
        fileprivate(set) var mailbox: EngineMailbox
        fileprivate var service: EngineService
        fileprivate let received: LockedValue<[EngineReport]>

        fileprivate init(on welcome: Welcome, at now: HostTime, _ eventSignal: EventSignal) {
            let received = LockedValue<[EngineReport]>([])
            self.received = received
            mailbox = EngineMailbox(for: .engine(.all), eventSignal: eventSignal, at: now) {
                _, report in
                received.withLock { $0.append(report) }
            }
            service = EngineService(mailbox, on: welcome, at: now)
        }

        /// True if the engine is running.
        var isRunning: Bool {
            received.withLock { $0.contains { if case .started = $0 { true } else { false } } }
        }

        /// True if the engine has stopped and has been notified of its stop.
        var hasStopped: Bool {
            if case .stopped? = service.end { true } else { false }
        }

        /// Returns the number of reports about the end of a player.
        func ends(of player: UInt64) -> Int {
            received.withLock { reports in
                reports.reduce(0) { count, report in
                    guard case .finished(let players) = report else { return count }
                    return count + players.count { $0 == PlayerID(number: player) }
                }
            }
        }
    }

    let board: InProcessBoard
    var forgotten = 0
    private(set) var engines: [Engine] = []
    private var pump: SessionPump
    private var streams = BoardStreams()
    private let eventSignal: EventSignal
    private var fromBoard = FrameDecoder(session: sessionID)
    private let encoder = FrameEncoder(session: sessionID)
    private static let sessionID: UInt32 = 0x1234_5678
    private static let stride: BoardTime = 500

    var now: HostTime { pump.now }
    /// The latched faults that the board reports on request.
    private(set) var faults: Faults = []

    init() throws {
        var options = InProcessBoard.Options()
        options.configuration = ActuatorConfiguration.coinLRA.bytes
        board = InProcessBoard(options: options)
        pump = SessionPump(board, sessionID: Self.sessionID)
        eventSignal = try EventSignal()
        while pump.session.phase == .connecting { step() }
    }

    /// Starts an engine, and returns when it is running.
    func start() -> Engine {
        let engine = Engine(on: pump.session.welcome!, at: now, eventSignal)
        engines.append(engine)
        while !engine.isRunning { step() }
        return engine
    }

    /// Stops an engine, and returns when it has ended.
    func stop(_ engine: Engine) {
        engine.mailbox.post(.stop)
        while !engine.hasStopped { step() }
        engines.removeAll { $0 === engine }
    }

    /// Performs a command. Returns the time at which the command takes effect.
    func perform(_ command: PlayerCommand, of player: UInt64, _ engine: Engine) -> HostTime {
        let due = TimedCommand(player: PlayerID(number: 0), command: command).due
        return post(.perform(command, PlayerID(number: player)), to: engine, due: due)
    }

    func setMuted(_ isMuted: Bool, _ engine: Engine) -> HostTime {
        post(.mute(isMuted), to: engine, due: 0)
    }

    private func post(_ request: EngineRequest, to engine: Engine, due: HostTime) -> HostTime {
        let called = max(now, due)
        let before = live?.segment?.start
        engine.mailbox.post(request)
        repeat { step() } while live.map { !$0.commands.isEmpty || $0.isStale } == true
        let start = live?.segment?.start
        return max(called, start != before || (start ?? 0) > called ? start ?? 0 : 0)
    }

    /// The stream that all engines share.
    var live: LiveStream? {
        engines.lazy.compactMap { self.streams.first(of: $0.mailbox.number) }.first
    }

    func run(until time: HostTime) { while now < time { step() } }

    func run(for time: Microseconds) { run(until: now + time) }

    private func step() {
        pump.session.poll(at: now)
        for engine in engines {
            engine.service.advance(
                &pump.session, &streams, at: now, isAlone: engines.count == 1)
        }
        streams.carryOutUnfelt(at: now)
        streams.advance(&pump.session, at: now)
        streams.feed(&pump.session, at: now)
        let finished = streams.removeFinished(at: now)
        for engine in engines {
            engine.service.follow(
                &pump.session, &streams, finished: finished[engine.mailbox.number] ?? [], at: now,
                isAlone: engines.count == 1)
        }
        pump.send { $0 }
        board.advance(to: board.now + Self.stride)
        for frame in fromBoard.receive(pump.drainArrived()) {
            // The board rejects the query for the configuration, so no drive is planned for the
            // mixed levels.
            let frame = frame.type == .configuration ? frame.rejecting(.getConfiguration) : frame
            pump.session.receive(encoder.encode(frame), at: now)
        }
        while let event = pump.session.nextEvent() {
            if case .status(let status, _) = event { faults = status.faults }
            streams.handle(event, &pump.session, at: now)
            for engine in engines {
                engine.service.handle(event, pump.session, streams, at: now)
            }
        }
    }
}
