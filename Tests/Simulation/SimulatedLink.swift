// One host and one board with a line between them, in virtual time, with everything that happens to
// them.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

final class SimulatedLink {
    let index: Int
    let board: any BreakableBoard
    /// Board microseconds per true microsecond.
    let rate: Double
    var referee = Referee()
    private(set) var performances: [Performance] = []
    var collisions: Int { witnessToBoard.collisions + witnessToHost.collisions }
    private(set) var log: [String] = []
    private(set) var now: Microseconds = 0

    private let plan: Plan
    private let configuration: ActuatorConfiguration
    private var reviser: Reviser
    private let isTraced: Bool
    private var random: SeededGenerator
    private var session: LinkSession!
    private var playback: Playback?
    private var toBoard: FaultyLine
    private var toHost: FaultyLine
    private var witnessToBoard = FrameWitness()
    private var witnessToHost = FrameWitness()
    private var lineFree: BoardTime = 0
    private var unsent: [(release: Microseconds, count: Int)] = []
    private var arrivals: [(time: Microseconds, bytes: [UInt8])] = []
    /// When the last byte of the last valid frame of a session has arrived at the board.
    private var lastValid: BoardTime = 0
    private var jump: Microseconds = 0
    private var pausedUntil: Microseconds = 0
    private var sessions = 0
    private var configuring: RequestID?
    private var isConfigured: Bool
    private var wasStopped = false
    private var knowsStart = false
    private var mutedAt: Microseconds?
    private var resets: [Microseconds] = []
    private var stoppedAt: Microseconds?
    private var linkTotal: UInt16 = 0
    private var nextSequence: UInt8 = 0
    private var isPristine = true
    private var keepsLevels = true
    private var drive = 0
    private var traced = 0

    init(
        index: Int, plan: Plan, configuration: ActuatorConfiguration, board: any BreakableBoard,
        isConfigured: Bool, isTraced: Bool
    ) {
        self.configuration = configuration
        reviser = Reviser(end: plan.lead + plan.length, seed: plan.seed)
        self.index = index
        self.plan = plan
        self.board = board
        self.isTraced = isTraced
        self.isConfigured = isConfigured
        rate = 1 + plan.drifts[index] / 1_000_000
        let seed = plan.seed &* 4 &+ UInt64(index)
        random = SeededGenerator(seed: seed)
        toBoard = FaultyLine(plan.line, seed: seed &* 2)
        toHost = FaultyLine(plan.line, seed: seed &* 2 &+ 1)
        connect()
    }

    /// The host's clock.
    private var hostNow: Microseconds { now + jump }
    var isOver: Bool {
        if session.phase == .ended { return sessions >= plan.sessions }
        return plan.isLive ? reviser.phase == .over : playback?.outcome != nil
    }

    // MARK: Sessions

    private func connect() {
        sessions += 1
        let id = UInt32.random(in: 1...UInt32.max, using: &random)
        session = LinkSession(sessionID: id, at: hostNow)
        witnessToBoard.begin(session: id)
        witnessToHost.begin(session: id)
        playback = nil
        reviser.wait()
        (linkTotal, nextSequence) = (0, 0)
        (mutedAt, stoppedAt, wasStopped, configuring) = (nil, nil, false, nil)
        note("session \(sessions)")
    }

    private func connected() {
        for index in performances.indices {
            performances[index].over = min(performances[index].over, now + 2_000)
        }
        reviser.silence(from: now + 2_000)
        if isConfigured {
            begin()
        } else {
            configuring = session.send(.configure(configuration, actuator: 0))
        }
    }

    private func begin() {
        guard !plan.isLive else {
            return reviser.begin(&session)
        }
        let start: Playback.StartTime =
            plan.isTimed ? .at(hostNow + plan.lead) : .after(UInt32(20_000))
        let score = Score(
            part: sessions, start: start, length: plan.length, spacing: plan.spacing,
            using: &random)
        var playback = Playback(
            events: score.bytes, actuators: ActuatorMask(index: 0), start: start)
        playback.begin(&session, at: hostNow)
        self.playback = playback
        var performance = Performance(score: score, begun: now)
        // Where START's answer gets lost, nobody learns when it came.
        performance.origin = (Double(now) + 3_000_000, 3_000_000)
        if case .at(let time) = start { performance.origin = (Double(time - jump), 3_000) }
        knowsStart = plan.isTimed
        performances.append(performance)
    }

    // MARK: Time

    func step(to next: Microseconds) {
        if now >= pausedUntil { runHost() }
        board.advance(to: BoardTime(Double(next) * rate))
        now = next
        drive = board.driveChanges.last?.drive ?? 0
        collect()
        referee.watch(board, lastValid: lastValid, at: now)
        watchPromises()
        traceDrive()
    }

    private func runHost() {
        receive()
        session.poll(at: hostNow)
        takeEvents()
        unsent.removeAll { $0.release <= now }
        let limit = Link.unsentMax - unsent.reduce(0) { $0 + $1.count }
        let bytes = session.takeOutput(limit: limit, at: hostNow)
        if !bytes.isEmpty { send(bytes) }
        takeEvents()
        if session.phase == .ended, sessions < plan.sessions { connect() }
    }

    private func send(_ bytes: [UInt8]) {
        for frame in witnessToBoard.noteSent(bytes) { checkCredit(of: frame) }
        let (release, arriving) = toBoard.carry(bytes, at: now)
        unsent.append((release, bytes.count))
        let byteTime = 10_000_000 / BoardTime(BRIDGE_BAUD)
        let start = max(lineFree, BoardTime(Double(release) * rate))
        lineFree = start + BoardTime(arriving.count) * byteTime
        if !witnessToBoard.noteArrived(arriving).isEmpty { lastValid = lineFree }
        board.send(arriving, at: start)
    }

    /// Both credits are the device's to give: it looks at none of them again (SPEC 4.4).
    private func checkCredit(of frame: Frame) {
        guard frame.type.isSequenced, frame.sequence == nextSequence else { return }
        nextSequence &+= 1
        linkTotal &+= UInt16(frame.wireSize)
        guard let core = (board as? InProcessBoard)?.core.pointee,
            core.receiver.session == session.sessionID
        else { return }
        if Int16(bitPattern: linkTotal &- core.answers.link_limit) > 0 {
            referee.report(now, "link credit overrun: \(linkTotal) of \(core.answers.link_limit)")
        }
    }

    private func collect() {
        let sent = board.takeSent()
        guard let last = sent.last else { return }
        let bytes = sent.map(\.byte)
        _ = witnessToHost.noteSent(bytes)
        let time = max(now, Microseconds((Double(last.time) / rate).rounded(.up)))
        let (release, arriving) = toHost.carry(bytes, at: time)
        arrivals.append((release, arriving))
    }

    private func receive() {
        for arrival in arrivals where arrival.time <= now {
            _ = witnessToHost.noteArrived(arrival.bytes)
            session.receive(arrival.bytes, at: hostNow)
        }
        arrivals.removeAll { $0.time <= now }
    }

    // MARK: Events

    private func takeEvents() {
        while let event = session.nextEvent() {
            if isTraced { traceEvent(event) }
            switch event {
            case .connected: connected()
            case .carriedOut(let request) where request == configuring: begin()
            case .stopped:
                stoppedAt = now
                reviser.finish()
            case .muted: if mutedAt == .max { mutedAt = now }
            case .rejected(_, let reject) where reject.code == .credit && !plan.isLive:
                referee.report(now, "event credit overrun")
            case .rejected(let request, _) where request == configuring:
                configuring = session.send(.configure(configuration, actuator: 0))
            default: break
            }
            playback?.handle(event, &session, at: hostNow)
            if plan.isLive { reviser.handle(event, &session, at: now) }
        }
        if plan.isLive { reviser.advance(&session, at: now, jump: jump) }
        let before = playback?.outcome
        playback?.advance(&session, at: hostNow)
        if let playback, before == nil || playback.outcome != nil { follow(playback) }
    }

    /// Notes where the playback is in time, as it says itself.
    private func follow(_ playback: Playback) {
        guard let last = performances.indices.last, session.phase == .open else { return }
        let progress = playback.progress
        // The bound that is in force when START leaves.
        if plan.isTimed, playback.phase == .starting, var origin = performances[last].origin,
            let device = session.clock.deviceTime(at: hostNow)
        {
            origin.bound = max(origin.bound, 3_000 + Double(device.errorBound))
            performances[last].origin = origin
        }
        if !knowsStart, let start = progress.startTime {
            knowsStart = true
            performances[last].origin = (Double(board.traceTime(of: start)) / rate, 3_000)
        }
    }

    // MARK: Faults

    func meet(_ fault: Fault.Kind) {
        note("\(fault)")
        isPristine = false
        if fault.changesLevels { keepsLevels = false }
        switch fault {
        case .noise(let bytes, let time):
            toBoard.noise(bytes: bytes, until: now + time)
            toHost.noise(bytes: bytes, until: now + time)
        case .lose(let count, true): toBoard.lose(count)
        case .lose(let count, false): toHost.lose(count)
        case .repeated(let count, true): toBoard.repeated(count)
        case .repeated(let count, false): toHost.repeated(count)
        case .stall(let time, true): toBoard.stall(until: now + time)
        case .stall(let time, false): toHost.stall(until: now + time)
        case .disconnect(let time):
            toBoard.cut(until: now + time)
            toHost.cut(until: now + time)
        case .pause(let time): pausedUntil = now + time
        case .jump(let time):
            jump += time
            keepsLevels = false
        case .reset: reset { board.reset() }
        case .powerCycle: reset { board.powerCycle() }
        case .watchdog: reset { board.hang(interruptsOn: true) }
        case .chip(let fault): board.chip(fault)
        case .stop, .mute, .gain, .restart: hostDoes(fault)
        }
    }

    /// What was asked of the board before is forgotten there; so is what its actuator has borne.
    private func reset(_ board: () -> Void) {
        board()
        (stoppedAt, mutedAt) = (nil, nil)
        resets.append(now)
    }

    private func hostDoes(_ fault: Fault.Kind) {
        guard session.phase == .open || fault == .restart else { return }
        switch fault {
        case .stop:
            wasStopped = true
            if playback?.outcome == nil, playback != nil {
                playback?.stop(&session, at: hostNow)
            } else {
                session.stop()
            }
        case .mute(let isMuted):
            mutedAt = isMuted ? .max : nil
            session.mute(.all, isMuted)
        case .gain(let gain):
            session.send(.gain(Gain(actuators: .all, gain: gain)))
        default: if sessions < plan.sessions { connect() }
        }
    }

    // MARK: Promises

    /// After STOP and while muted nothing drives; memory stays in its bounds.
    private func watchPromises() {
        if let stoppedAt, drive != 0, now > stoppedAt + 5_000 {
            referee.report(now, "drives \(drive) after STOP")
        }
        if let mutedAt, mutedAt != .max, drive != 0, now > mutedAt + 5_000 {
            referee.report(now, "drives \(drive) while muted")
        }
        if let core = (board as? InProcessBoard)?.core.pointee {
            let memory = core.streams.0.memory
            let isWithin = memory.used <= memory.capacity && memory.readable <= memory.used
            if !isWithin { referee.report(now, "event memory is overrun") }
        }
        if arrivals.count > 2_000 { referee.report(now, "the host's queue grows") }
    }

    /// At the end of the run: what the bus saw, and what was said of it.
    func judge() {
        let writes = board.transactions.levels.map { (Double($0.time) / rate, $0.value) }
        if plan.hasBudget {
            let drives = board.driveChanges.map { (Double($0.time) / rate, $0.drive) }
            referee.judgeBudget(drives, configuration, resets: resets)
        } else if keepsLevels {
            referee.judge(writes, of: performances + reviser.performances)
        }
        if drive != 0 { referee.report(now, "drives \(drive) when all is over") }
        for finding in board.findings where finding.contains("one-time") {
            referee.report(now, finding)
        }
        guard !plan.isLive else { return judgeReviser() }
        guard let playback, let outcome = playback.outcome else {
            if session.phase == .open { referee.report(now, "does not come to an end") }
            return
        }
        note("\(outcome), \(playback.progress)")
        let isClean = playback.progress.isClean
        if plan.hasBudget { isPristine = false }
        switch outcome {
        case .success(.played) where isClean && keepsLevels:
            referee.judgeClean(performances.last!, writes)
        case .success(.stopped) where !wasStopped: referee.report(now, "stopped by nobody")
        default: break
        }
        if isPristine, !isClean || !outcome.isPlayed {
            referee.report(now, "nothing was wrong, but \(outcome): \(playback.progress)")
        }
    }

    private func judgeReviser() {
        note("revised \(reviser.performances.count) times, \(reviser.rejects) rejected")
        if session.phase == .open, reviser.phase != .over {
            referee.report(now, "does not come to an end")
        }
        if isPristine, reviser.rejects > 0 || reviser.performances.count < 3 {
            referee.report(now, "nothing was wrong, but \(reviser.rejects) REVISEs were rejected")
        }
    }

    // MARK: The trace

    private func note(_ what: @autoclosure () -> String) {
        if isTraced { log.append("\(now) us, board \(index): \(what())") }
    }

    private func traceEvent(_ event: LinkEvent) {
        switch event {
        case .clockSampled, .status(_, nil), .stream(_, nil): break
        default: note("\(event)")
        }
    }

    private func traceDrive() {
        guard isTraced else { return }
        let changes = board.driveChanges
        for change in changes[min(traced, changes.count)...] {
            note("drives \(change.drive) from \(Int(Double(change.time) / rate)) on")
        }
        traced = changes.count
    }
}

extension Result where Success == Playback.Ending {
    fileprivate var isPlayed: Bool { if case .success(.played) = self { true } else { false } }
}
