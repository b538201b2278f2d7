// SeveralActuatorsRig: a configured board with several actuators, and a host session.

import BridgeLink
import DRV2605
import HapticCompiler
import VirtualBoard

/// A test rig that plays streams on the actuators of a stepped board.
public final class SeveralActuatorsRig<Board: SteppedBoard> {
    public let board: Board
    public let link: IdealLink

    /// An error that describes why no board is available for a test.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Connects and configures each actuator.
    public init(_ board: Board, stride: BoardTime = 500) throws {
        self.board = board
        board.advance(to: 1_000_000)
        link = IdealLink(board, stride: stride)
        guard link.connect() else { throw Failure(description: "does not connect") }
        for actuator in 0..<(link.session.welcome?.actuators ?? 0) {
            try link.carryOut(.configure(.coinLRA, actuator: actuator))
            link.run(for: 50_000)
        }
        board.forgetTrace()
    }

    /// The mask that contains all actuators.
    public var mask: ActuatorMask {
        (0..<Int(link.session.welcome?.actuators ?? 0)).reduce(into: []) {
            $0.insert(ActuatorMask(index: $1))
        }
    }

    /// Begins to play events on some of the actuators, or on all of them.
    public func begin(_ events: [StreamEvent], on actuators: ActuatorMask? = nil, end: Ticks = 0) {
        let last = max(end, (events.last?.tick ?? 0) + 400)
        let bytes = EventStreamEncoder.encode(events + [StreamEvent(.end, at: last)])
        link.begin(bytes, on: actuators ?? mask, start: .after(50_000))
    }

    /// Begins to play events on one actuator. The number of the stream is the number of the
    /// actuator.
    public func begin(_ events: [StreamEvent], alone actuator: Int, memory: UInt16) throws {
        let stream = UInt8(actuator)
        let mask = ActuatorMask(index: actuator)
        try link.carryOut(.open(Open(stream: stream, actuators: mask, memory: memory)))
        let bytes = EventStreamEncoder.encode(events)
        for part in Swift.stride(from: 0, to: bytes.count, by: 48) {
            let portion = Array(bytes[part..<min(part + 48, bytes.count)])
            try link.carryOut(.events(Events(stream: stream, bytes: portion)))
        }
        try link.carryOut(.start(Start(stream: stream, isRelative: true, time: 20_000)))
    }

    /// Plays events to their end.
    public func play(_ events: [StreamEvent], on actuators: ActuatorMask? = nil) throws {
        begin(events, on: actuators)
        link.run(limit: 10_000_000) { $0.current?.outcome != nil }
        guard try link.current?.outcome?.get() == .played else {
            throw Failure(description: "did not play: \(String(describing: link.current?.outcome))")
        }
    }
}

extension SeveralActuatorsRig where Board: BreakableBoard {
    /// Plays a stream on actuator 0 for 80 ms and on actuator 2 for another 80 ms, corrupts one
    /// write to the multiplexer, and sends STOP. Returns the actuators that are still driven 150 ms
    /// later or after this time.
    ///
    /// The board assumes that actuator 1 is at rest. If the corrupted write has routed a level to
    /// actuator 1 instead of actuator 0, the board does not stop actuator 1.
    ///
    /// - Parameters:
    ///   - moment: the time after which the next write to the multiplexer is corrupted, from 0 to
    ///     160 ms.
    ///   - bits: the bits to invert.
    public func drivenDespiteStop(misledAfter moment: BoardTime, bits: UInt8) throws -> Set<Int> {
        for (actuator, time) in [(0, BoardTime(0)..<80_000), (2, 80_000..<160_000)] {
            let levels = (0..<60).map {
                StreamEvent(.level(UInt8(100 + actuator + $0 % 2)), at: $0 * 9)
            }
            try begin(levels + [StreamEvent(.end, at: 4_000)], alone: actuator, memory: 128)
            let misled = min(max(moment, time.lowerBound), time.upperBound)
            link.run(for: misled - time.lowerBound)
            if time.contains(moment) { board.multiplexerIsMisled(bits: bits) }
            link.run(for: time.upperBound - misled)
        }
        link.session.stop()
        link.run(for: 150_000)
        let changes = board.driveChanges
        var drives = [Int](repeating: 0, count: mask.indices.count)
        for change in changes { drives[change.actuator] = change.drive }
        board.forgetTrace()
        link.run(for: 400_000)
        for change in board.driveChanges where change.drive != 0 { drives[change.actuator] = 1 }
        return Set(drives.indices.filter { drives[$0] != 0 })
    }
}
