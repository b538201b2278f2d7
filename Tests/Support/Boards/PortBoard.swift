// PortBoard: any board behind a port, in real time.

import BridgeLink
import SerialPorts
import VirtualBoard

/// A stepped board behind a port. The time of the board is the host's time since the port was
/// opened.
///
/// The times of transactions come from the trace, because the host's time is not precise enough to
/// test a board.
public final class PortBoard: TracedBoard {
    public private(set) var failure: String?
    /// A closure that is called once when the board fails, with the value of `failure`.
    public var onFailure: ((String) -> Void)?
    /// A closure that is called with two times: the scheduling delay of this process, and the time
    /// for which the board has not answered.
    public var onDelay: ((BoardTime) -> Void)?

    private let path: String
    private let program: BoardProgram?
    private let trace: BoardTrace?
    private var transport: (any Transport)?
    private let origin = Link.now()
    private var unwritten: [UInt8] = []
    private var sent: [SentByte] = []
    private var lastTurn: BoardTime?
    private var unansweredSince: BoardTime?

    private static let readMax = 4_096

    /// Opens the port of a real board.
    public init(path: String) throws {
        self.path = path
        (program, trace) = (nil, nil)
        transport = try openPort(path)
    }

    /// Opens the port of a board program. The program ends when this board is released.
    public init(_ program: BoardProgram, trace format: BoardTrace.Format) throws {
        path = program.port
        self.program = program
        trace = try BoardTrace(program.tracePath, format)
        transport = try openPort(path)
    }

    deinit { transport?.close() }

    /// Closes the port, and opens it again after a short time, as a second program would. Some
    /// boards are reset when their port is opened.
    public func reopen() throws {
        transport?.close()
        transport = nil
        wait(until: now + 100_000)
        transport = try openPort(path)
    }

    // MARK: SteppedBoard

    public var now: BoardTime { Link.now() - origin }

    /// Sends bytes immediately, because `time` has been reached.
    public func send(_ bytes: [UInt8], at time: BoardTime) {
        unwritten += bytes
        attempt { try write($0) }
    }

    public func advance(to time: BoardTime) {
        if let lastTurn { onDelay?(now - lastTurn) }
        defer {
            lastTurn = now
            onDelay?(max(now - time, now - (unansweredSince ?? now)))
        }
        repeat {
            attempt { transport in
                try write(transport)
                let bytes = try transport.read(upTo: Self.readMax, timeout: max(0, time - now))
                record(bytes)
            }
            if failure != nil { return wait(until: time) }
        } while now < time
    }

    public func drainSent() -> [SentByte] {
        defer { sent.removeAll(keepingCapacity: true) }
        return sent
    }

    public var transactions: [BusTransaction] { trace?.transactions ?? [] }
    public var driveChanges: [DriveChange] { trace?.driveChanges ?? [] }
    public func forgetTrace() { trace?.forget() }

    // MARK: TracedBoard

    public var hasTrace: Bool { trace != nil }
    public var isEnabled: Bool { trace?.isEnabled ?? true }
    public var findings: [String] { trace?.findings ?? [] }
    public func traceTime(of clock: UInt32) -> BoardTime {
        trace?.time(ofDeviceClock: clock) ?? 0
    }

    // MARK: The port

    private func record(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        sent += bytes.map { SentByte(time: now, byte: $0) }
        unansweredSince = nil
    }

    private func write(_ transport: any Transport) throws {
        guard !unwritten.isEmpty else { return }
        unansweredSince = unansweredSince ?? now
        unwritten.removeFirst(try transport.write(unwritten))
    }

    private func attempt(_ body: (any Transport) throws -> Void) {
        guard failure == nil, let transport else { return }
        do {
            try body(transport)
        } catch {
            failure = "\(error)"
            onFailure?("\(error)")
        }
    }

    private func wait(until time: BoardTime) {
        while now < time { _ = TestSupport.wait(seconds: 0.005) { false } }
    }
}
