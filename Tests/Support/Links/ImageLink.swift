// ImageLink: the real host session, connected to a firmware image by a simulated serial line or
// USB.

import BridgeLink
import DRV2605
import SerialPorts
import VirtualBoard

/// A session and a firmware image in virtual time. The simulator models the connection, which has
/// frames of 1 ms on USB.
///
/// Times are relative to the host's clock. The host's process wakes up some time after the bytes
/// have been received.
public final class ImageLink: TimedLink {
    public let board: LockStepBoard
    public private(set) var session: LinkSession
    public private(set) var playback: Playback?
    public private(set) var now: HostTime = 0
    public var onClockSample: ((ClockEstimate<DeviceTime>) -> Void)?

    /// The number of board microseconds per host microsecond.
    private let rate: Double
    private var random: SeededGenerator
    private var arrivals: [(time: HostTime, byte: UInt8)] = []

    /// The maximum interval between polls of the session, in microseconds. While an answer is
    /// expected, the interval is at most the wake-up time of a process.
    private static let step: Microseconds = 200
    private static let answerStep = wakeTime.lowerBound
    /// The maximum time that the board needs to answer, in microseconds.
    private static let answerTime: Microseconds = 1_500
    private var sentAt: HostTime = 0
    /// The time from the arrival of bytes to the wake-up of the process that receives them, in
    /// microseconds.
    private static let wakeTime: ClosedRange<Microseconds> = 20...120

    /// - Parameter drift: the drift of the board's clock, in parts per million.
    public init(_ simulator: BoardSimulator, drift: Double, seed: UInt64) throws {
        board = try LockStepBoard(simulator)
        rate = 1 + drift / 1_000_000
        random = SeededGenerator(seed: seed)
        // Runs begin at different offsets within a USB frame.
        now = HostTime(microseconds: simulator.startTime + Int64(seed * 331 % 1_000))
        session = LinkSession(sessionID: UInt32(truncatingIfNeeded: seed) | 1, at: now)
        board.advance(to: boardTime(at: now))
    }

    private func boardTime(at host: HostTime) -> BoardTime {
        BoardTime((Double(host.microseconds) * rate).rounded(.down))
    }

    public func error(of estimate: ClockEstimate<DeviceTime>, at host: HostTime) -> Double {
        let cycle = Cycle(
            Double(board.simulator.cyclesPerMicrosecond) * Double(host.microseconds) * rate)
        guard let truth = board.deviceClock(at: cycle) else { return .infinity }
        // The board's clock wraps around one minute after power-up.
        return Double(Int32(bitPattern: estimate.time.stamp &- truth))
    }

    public func levels(since start: HostTime) -> [(time: Double, value: UInt8)] {
        let first = boardTime(at: start) - 2_000
        return board.trace.transactions.compactMap { transaction in
            guard let level = transaction.level,
                board.simulator.time(of: transaction.start) >= first
            else { return nil }
            let time = board.simulator.microseconds(transaction.start) / rate
            return (time - Double(start.microseconds), level)
        }
    }

    // MARK: Time

    private func step() {
        session.poll(at: now)
        handleEvents()
        let bytes = session.nextOutput(limit: LinkSession.unsentMax, at: now)
        if !bytes.isEmpty {
            board.send(bytes, at: boardTime(at: now))
            sentAt = now
        }
        var next = now + (now - sentAt < Self.answerTime ? Self.answerStep : Self.step)
        for time in [session.nextDeadline, playback?.nextDeadline, arrivals.first?.time] {
            if let time, time > now { next = min(next, time) }
        }
        board.advance(to: boardTime(at: next))
        now = next
        _ = board.drainArrived()
        collect()
        receive()
    }

    private func collect() {
        let sent = board.drainSentInCycles()
        guard let last = sent.last else { return }
        let end = board.simulator.microseconds(last.cycle) / rate
        let wake =
            HostTime(microseconds: Int64(end.rounded(.up)))
            + .random(in: Self.wakeTime, using: &random)
        arrivals += sent.map { (max(wake, arrivals.last?.time ?? 0), $0.byte) }
    }

    private func receive() {
        let portion = arrivals.prefix { $0.time <= now }.map(\.byte)
        guard !portion.isEmpty else { return }
        arrivals.removeFirst(portion.count)
        session.receive(portion, at: now)
        handleEvents()
    }

    private func handleEvents() {
        while let event = session.nextEvent() {
            if case .clockSampled(let estimate, _) = event { onClockSample?(estimate) }
            playback?.handle(event, &session, at: now)
        }
        playback?.advance(&session, at: now)
    }

    @discardableResult
    public func run(until limit: HostTime, _ condition: (ImageLink) -> Bool) -> Bool {
        while !condition(self) {
            guard now < limit else { return false }
            step()
        }
        return true
    }

    /// Connects to the board and configures the actuator.
    public func connect() -> Bool {
        guard run(until: now + 3_000_000, { $0.session.phase == .open }) else { return false }
        session.send(.configure(.coinLRA, actuator: 0))
        return !run(until: now + 60_000) { $0.session.phase != .open }
    }

    public func begin(_ bytes: [UInt8], start: Playback.StartTime) {
        var playback = Playback(events: bytes, actuators: ActuatorMask(index: 0), start: start)
        playback.begin(&session, at: now)
        self.playback = playback
    }
}
