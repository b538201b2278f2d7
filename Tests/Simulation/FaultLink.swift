// FaultLink: one host and one board, connected by a line, in virtual time.

import BridgeLink
import CBridgeFirmware
import DRV2605
import TestSupport
import VirtualBoard

final class FaultLink {
    let index: Int
    let plan: Plan
    let board: any BreakableBoard
    /// The core of an in-process board; nil for other boards.
    let core: UnsafeMutablePointer<bridge>?
    var line: SimulatedLine
    /// The board if it is connected by USB; nil for other boards.
    let usbBoard: LockStepBoard?
    var cable = CableFaults()
    /// The number of board microseconds per true microsecond.
    let rate: Double
    /// The true time, in microseconds since the start of the run.
    private(set) var now: Microseconds = 0

    // The host
    var session: LinkSession!
    var playback: Playback?
    /// The hosts that revise streams, one for each stream.
    var revisers: [Reviser]
    private(set) var sessions = 0
    var configuring: RequestID?
    /// The difference between the host's clock and the true time.
    var jump: Microseconds = 0
    var pausedUntil: Microseconds = 0
    /// The time of the next action that the host performs on its own.
    var hostDue: Microseconds = 0
    private let isConfigured: Bool
    private var random: SeededGenerator

    // The promises
    var referee: Referee
    var performances: [Performance] = []
    var knowsStart = false
    var lateness = Lateness()
    var isPristine = true
    var keepsLevels = true
    var wasStopped = false
    /// The actuators whose chips may have failed to acknowledge a byte.
    var deaf: Set<Int> = []
    var stoppedAt: Microseconds?
    var mutedAt: Microseconds?
    /// The resets, each represented by the interval from its cause to its latest possible end.
    var resets: [ClosedRange<BoardTime>] = []
    var powerCycles: [BoardTime] = []
    var strikes: [(actuator: Int, strike: Strike)] = []
    var protections: ProtectionReferee
    /// The value of CONTROL3 in each chip's register image. `strangeSince` contains the time since
    /// which a chip with another value has been driving.
    let levelFormats: [UInt8]
    var strangeSince: [Int: BoardTime] = [:]
    private var judged = 0
    /// The number of dead-man trips that the board had counted at the last check. `lastNow` is the
    /// time of that check.
    var deadManTrips: UInt16 = 0
    var lastNow: BoardTime = 0
    /// True if a STOP awaits its answer.
    var isStopping = false
    /// The types of the urgent messages that were sent with id 0 since HELLO. The board answers a
    /// repetition without executing it.
    var saidZero: Set<MessageType> = []
    /// The latest end of the running calibration.
    var busyUntil: Microseconds = 0
    var linkTotal: UInt16 = 0
    var nextSequence: UInt8 = 0
    /// The drive of each chip.
    private(set) var drives: [Int]
    private var driveCount = 0
    var collisions: Int { line.collisions }

    // The trace
    let isTraced: Bool
    var traced = 0
    var log: [String] = []

    init(
        index: Int, plan: Plan, board: any BreakableBoard, isConfigured: Bool, isTraced: Bool
    ) {
        revisers = plan.streams.indices.map { Reviser(plan, stream: $0) }
        drives = Array(repeating: 0, count: plan.actuators)
        levelFormats = plan.configurations.map { $0.image[0x1D] }
        let port = plan.oddities.port
        referee = Referee(actuators: plan.actuators, port: port)
        protections = ProtectionReferee(actuators: plan.actuators, port: port)
        self.index = index
        self.plan = plan
        self.board = board
        self.isTraced = isTraced
        self.isConfigured = isConfigured
        rate = 1 + plan.drifts[index] / 1_000_000
        let seed = plan.seed &* 4 &+ UInt64(index)
        random = SeededGenerator(seed: seed)
        line = SimulatedLine(plan.line, seed: seed, rate: rate, to: board)
        core = (board as? InProcessBoard)?.core
        usbBoard = (board as? LockStepBoard).flatMap { $0.simulator.line == .usb ? $0 : nil }
        // The board renders levels 10 ms ahead.
        if port.interval > 5_000 { isPristine = false }
        connect()
        (board as? InProcessBoard)?.onTransfer = { [unowned self] in
            if !strikes.isEmpty { strike(transfer: $0) }
        }
    }

    /// The current time of the host's clock.
    var hostNow: HostTime { HostTime(microseconds: now + jump) }
    var isOver: Bool {
        if now < busyUntil || isCalibrating { return false }
        if session.phase == .ended { return sessions >= plan.sessions }
        return plan.isLive
            ? revisers.allSatisfy { $0.phase == .over } : playback?.outcome != nil
    }

    // MARK: Sessions

    func connect() {
        sessions += 1
        let id = UInt32.random(in: 1...UInt32.max, using: &random)
        session = LinkSession(sessionID: id, at: hostNow)
        line.begin(session: id)
        playback = nil
        for index in revisers.indices { revisers[index].wait() }
        (linkTotal, nextSequence) = (0, 0)
        (mutedAt, stoppedAt, wasStopped, configuring) = (nil, nil, false, nil)
        (isStopping, saidZero) = (false, [])
        record("session \(sessions)")
    }

    func connected() {
        for index in performances.indices {
            performances[index].over = min(performances[index].over, now + 2_000)
        }
        for index in revisers.indices { revisers[index].silence(from: now + 2_000) }
        if isConfigured {
            begin()
        } else {
            configure()
        }
    }

    func configure() {
        configuring = session.send(.configure(plan.configurations[0], actuator: 0))
    }

    /// Begins to play. An earlier STOP is then irrelevant.
    func begin() {
        stoppedAt = nil
        guard !plan.isLive else {
            for index in revisers.indices { revisers[index].begin(&session) }
            return
        }
        let start: Playback.StartTime =
            plan.isTimed ? .at(hostNow + plan.lead) : .after(Int32(plan.relativeLead))
        let score = Score(
            part: sessions, length: plan.length, spacing: plan.spacing, steps: plan.levelSteps,
            using: &random)
        var playback = Playback(events: score.bytes, actuators: plan.streams[0], start: start)
        playback.begin(&session, at: hostNow)
        self.playback = playback
        var performance = Performance(score: score, begun: now)
        // If START's answer is lost, the arrival time of START remains unknown.
        performance.origin = (Double(now) + 3_000_000, 3_000_000)
        if plan.isTimed { performance.origin = (Double(now + plan.lead), 3_000) }
        knowsStart = plan.isTimed
        performances.append(performance)
    }

    // MARK: Time

    func step(to next: Microseconds) {
        if now >= pausedUntil, now >= hostDue || line.hasArrived(at: now) { runHost() }
        line.repeatEcho(to: board, at: now)
        if let usbBoard { cable.repair(usbBoard, at: now) }
        board.advance(to: BoardTime(Double(next) * rate))
        now = next
        let changes = board.driveChanges
        for change in changes[driveCount...] { drives[change.actuator] = change.drive }
        driveCount = changes.count
        if core != nil { recordTransactions() }
        for frame in line.collect(from: board, at: now) { handleAnswer(frame) }
        referee.watch(
            board, drives: drives, lastValid: line.lastValid, hang: resets.last, at: now)
        watchPromises()
        traceDrive()
    }

    private var nextDue: Microseconds {
        let isRevising = plan.isPlain || plan.isLive && revisers.contains { $0.phase == .open }
        guard !isRevising, !session.isOutputWaiting, session.phase != .ended else { return now }
        let due = [session.nextDeadline, playback?.nextDeadline].compactMap { $0 }.min()
        return due.map { now + ($0 - hostNow) } ?? .max
    }

    private func recordTransactions() {
        let transactions = board.transactions
        for transaction in transactions[judged...] { protections.record(transaction) }
        judged = transactions.count
    }

    /// Performs the host's actions that are due. Until the next action is due, the host needs to
    /// act only if it receives bytes.
    private func runHost() {
        defer { hostDue = nextDue }
        for bytes in line.drainArrived(at: now) { session.receive(bytes, at: hostNow) }
        session.poll(at: hostNow)
        handleEvents()
        let bytes = session.nextOutput(limit: line.room(at: now), at: hostNow)
        for frame in line.send(bytes, to: board, at: now) { checkCredit(of: frame) }
        handleEvents()
        if session.phase == .ended, sessions < plan.sessions { connect() }
    }
}
