// Rig: a board under test with a host, and the checks at the end of each test.

import BridgeLink
import DRV2605
import Foundation
import TestSupport
import Testing
import VirtualBoard

/// A board with a session and a configured actuator at rest.
final class Rig {
    let kind: ConformanceBoard
    let board: any TracedBoard
    /// The current session of the test; a reset begins a new session.
    private(set) var link: IdealLink

    /// The states that a test causes deliberately, so that the check at the end permits them.
    var provoked: Set<Provocation> = []

    enum Provocation {
        /// The chip is left broken, or not yet at rest.
        case chip
        /// A chip is woken while its register still contains an old level.
        case staleStart
    }

    enum Failure: Error {
        case notConnected(LinkEnd?)
        case notConfigured(ActuatorState)
    }

    /// Opens a board.
    ///
    /// - Parameter delays: the delays of the processes, which are relevant for boards in real time.
    init(_ kind: ConformanceBoard, options: [String] = [], delays: Delays) throws {
        self.kind = kind
        board = try kind.open(options, delays)
        // A board in real time may still be in the session of the previous run.
        link = IdealLink(
            board, sessionID: kind.isRealTime ? .random(in: 1...UInt32.max / 2) : 0x5EED_0001)
    }

    /// The parts of the board into which a test can inject faults. Only a board in
    /// `ConformanceBoard.breakable` has this value.
    var parts: any BreakableBoard { board as! any BreakableBoard }

    /// The maximum time from the due time of an event to the start of its write, in microseconds.
    /// The limit of a real board depends on the board kind in WELCOME.
    var lateness: Int64 {
        kind == .real
            ? link.session.welcome.map { $0.kind.writeLateness(actuators: Int($0.actuators)) }
                ?? kind.lateness : kind.lateness
    }

    // MARK: Beginning

    /// Connects with a new session. Returns the description in the board's WELCOME.
    @discardableResult
    func connect(limit: BoardTime = 4_000_000) throws -> Welcome {
        if link.session.phase != .connecting {
            link = IdealLink(board, sessionID: link.session.sessionID &+ 1)
        }
        guard link.connect(limit: limit), let welcome = link.session.welcome else {
            throw Failure.notConnected(link.session.endReason)
        }
        return welcome
    }

    /// Configures actuator 0 over the link and waits until it is at rest.
    ///
    /// A real board keeps its own configuration, because the suite cannot determine the type of the
    /// attached actuator.
    func configure() throws {
        if kind != .real {
            let reject = try link.carryOut(.configure(.coinLRA, actuator: 0))
            #expect(reject == nil, "\(reject.map { "\($0)" } ?? "")")
        }
        guard try waitForRest() else {
            throw Failure.notConfigured(try link.actuator().state)
        }
    }

    /// Waits until the board reports that actuator 0 is at rest, or is unconfigured and therefore
    /// always at rest. Returns false on timeout.
    func waitForRest(limit: BoardTime = 1_000_000) throws -> Bool {
        let end = board.now + limit
        while ![.atRest, .unconfigured].contains(try link.actuator().state) {
            guard board.now < end else { return false }
            link.run(for: 5_000)
        }
        return true
    }

    // MARK: Time

    /// Runs until the device's clock has passed `clock`. The excess is at most the duration of two
    /// queries.
    func run(to clock: UInt32) throws {
        while case let ahead = Int32(bitPattern: clock &- (try link.status().clock)), ahead > 0 {
            link.run(for: BoardTime(ahead))
        }
    }

    /// Advances the board's time while the host sends nothing.
    func beSilent(for time: BoardTime) {
        let end = board.now + time
        while board.now < end {
            board.advance(to: min(end, board.now + 5_000))
            link.listen(to: board.drainSent())
        }
    }

    // MARK: Streams by hand

    /// Sends OPEN and EVENTS for stream 0.
    func load(_ events: [UInt8], memory: UInt16 = 0) throws {
        let open = Open(stream: 0, actuators: ActuatorMask(index: 0), memory: memory)
        #expect(try link.carryOut(.open(open)) == nil)
        try append(events)
    }

    func append(_ events: [UInt8]) throws {
        for start in stride(from: 0, to: events.count, by: 50) {
            let portion = Array(events[start..<min(start + 50, events.count)])
            #expect(try link.carryOut(.events(Events(stream: 0, bytes: portion))) == nil)
        }
    }

    /// Loads `events` into stream 0, and starts the stream after `delay` microseconds. Returns the
    /// time of tick 0 on the device's clock.
    func begin(_ events: [UInt8], after delay: UInt32 = 60_000) throws -> UInt32 {
        try load(events)
        #expect(try link.carryOut(.start(Start(stream: 0, isRelative: true, time: delay))) == nil)
        return try link.stream().startTime
    }

    /// The states of stream 0 that the board has reported without a query.
    var notices: [StreamStatus] {
        link.events.compactMap { event in
            if case .stream(let status, nil) = event, status.stream == 0 { status } else { nil }
        }
    }

    /// Returns the levels written to the chip since a time on the device's clock. The times of the
    /// levels are relative to this time.
    ///
    /// Sends a query first, because the trace of a simulator program is complete only up to the
    /// program's last answer.
    func levels(since clock: UInt32) throws -> [LevelWrite] {
        _ = try link.status()
        return board.transactions.levels.played(from: board.traceTime(of: clock))
    }
}

extension ConformanceBoard {
    /// Runs a test on a connected and configured board of this kind. The board is at rest before
    /// the test, and must be at rest afterwards.
    func test<Result: Sendable>(
        options: [String] = [], place: SourceLocation = #_sourceLocation,
        _ body: sending @escaping (Rig) throws -> Result
    ) async throws -> Result {
        try await withRig(options: options, place: place) { rig in
            try rig.connect()
            try rig.configure()
            return try body(rig)
        }
    }

    /// Runs a test on a board of this kind without a connected host.
    func withRig<Result: Sendable>(
        options: [String] = [], place: SourceLocation = #_sourceLocation,
        _ body: sending @escaping (Rig) throws -> Result
    ) async throws -> Result {
        try await queue.run {
            try isRealTime
                ? Delays.excused { try turn(options, $0, place, body) }
                : turn(options, Delays(), place, body)
        }
    }

    private func turn<Result>(
        _ options: [String], _ delays: Delays, _ place: SourceLocation,
        _ body: (Rig) throws -> Result
    ) throws -> Result {
        let rig = try Rig(self, options: options, delays: delays)
        defer { rig.checkAtEnd(place) }
        let result = try body(rig)
        if rig.link.session.phase != .open { try rig.connect() }
        let isAtRest = try rig.provoked.contains(.chip) || rig.waitForRest()
        #expect(isAtRest, "the actuator comes to rest", sourceLocation: place)
        return result
    }

    /// Opens a powered board whose actuator is not configured.
    fileprivate func open(_ options: [String], _ delays: Delays) throws -> any TracedBoard {
        switch self {
        case .inProcess:
            precondition(options.isEmpty, "the board in this process has no options")
            return InProcessBoard()
        case .simulated, .simulatedPico, .simulatedSketch:
            let board = try LockStepBoard(simulator!, options: options)
            board.onFailure = { Issue.record("\($0)") }
            return board
        case .virtual:
            let program = try BoardProgram(
                Tool.executable("virtual-board"), ["--unconfigured"] + options)
            return try portBoard(delays) { try PortBoard(program, trace: .transactions) }
        case .simulatedPort, .simulatedPicoPort, .simulatedSketchPort:
            let simulator = simulator!
            let program = try BoardProgram(simulator, options)
            return try portBoard(delays) { try PortBoard(program, trace: .cycles(simulator)) }
        case .real: return try portBoard(delays) { try PortBoard(path: Self.port) }
        }
    }

    private func portBoard(
        _ delays: Delays, _ open: () throws -> PortBoard
    ) rethrows -> PortBoard {
        let board = try open()
        board.onDelay = delays.record
        board.onFailure = { Issue.record("\($0)") }
        return board
    }
}

extension Rig {
    /// Checks that the chip does not drive the actuator, that it is in standby or off, and that the
    /// board has used it only in accordance with its data sheet.
    fileprivate func checkAtEnd(_ place: SourceLocation) {
        #expect(board.failure == nil, sourceLocation: place)
        guard kind.hasTrace else { return }
        let isProvoked = provoked.contains(.staleStart)
        let findings = board.findings.filter { !(isProvoked && $0.hasSuffix("stale starts")) }
        #expect(findings.isEmpty, sourceLocation: place)
        guard !provoked.contains(.chip) else { return }
        #expect(board.driveChanges.last?.drive ?? 0 == 0, sourceLocation: place)
        // The last write selects standby or resets the chip, which is in standby after a reset.
        let isInStandby = board.transactions.mode.map { $0 & 0xC0 != 0 } ?? true
        #expect(isInStandby || !board.isEnabled, sourceLocation: place)
    }
}
