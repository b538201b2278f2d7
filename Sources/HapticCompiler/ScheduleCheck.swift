// ScheduleCheck: whether a board can play a stream on time, asked before it plays.

public import AHAP
internal import CBridgeProtocol

/// What a stream asks of line, event memory and bus, held against what they can give.
public struct ScheduleCheck: Sendable, Hashable {
    /// What a board can do.
    public struct Board: Sendable, Hashable {
        /// Bytes of event memory for the stream.
        public var eventMemory: Int
        /// Event bytes that the line carries in a second, framing and acknowledgement deducted.
        public var bytesPerSecond: Double
        /// From the execution of an event to the arrival of what takes its place in memory, in
        /// microseconds: credit is asked for, and granted.
        public var refillDelay: Microseconds
        /// One register write on the bus, in microseconds.
        public var writeTime: Microseconds

        /// The reference board: 250,000 baud, 48 event bytes in a frame of 62, I2C at 400 kHz.
        public init(eventMemory: Int) {
            self.eventMemory = eventMemory
            bytesPerSecond = Double(BRIDGE_BAUD) / 10 * 48 / 62
            refillDelay = 60_000
            writeTime = 100
        }
    }

    /// What is too slow.
    public enum Part: Sendable, Hashable {
        /// Events come faster than they can be sent once event memory is used up.
        case line
        /// Writes follow one another faster than the bus carries them.
        case bus
    }

    public var part: Part
    /// When it is first too slow, in microseconds from the start of the stream.
    public var time: Microseconds
    /// By how much an event is late then, in microseconds.
    public var lateness: Microseconds

    /// What of `board` is too slow for a stream: nothing, the line, the bus, or both. Of the bus the
    /// least is asked: the steps of ramps and the ends of taps are not counted.
    ///
    /// - Parameters:
    ///   - bytes: event code up to and including END.
    ///   - tick: the length of a tick in microseconds.
    /// - Throws: ``EventStreamError`` where the code is malformed.
    public static func problems(
        of bytes: [UInt8], tick: Microseconds, on board: Board
    ) throws(EventStreamError) -> [ScheduleCheck] {
        let events = try EventStreamDecoder.decodeWithEnds(bytes)
        return [line(events, tick, board), bus(events, tick, board)].compactMap(\.self)
    }

    /// Plays the stream against a memory that is refilled at the line's pace.
    private static func line(
        _ events: [(event: StreamEvent, end: Int)], _ tick: Microseconds, _ board: Board
    ) -> ScheduleCheck? {
        let perMicrosecond = board.bytesPerSecond / 1_000_000
        var delivered = Double(board.eventMemory)
        var last: Microseconds = 0
        var freed = 0
        var next = 0
        for (event, end) in events {
            let time = Microseconds(event.tick) * tick
            // What was executed long enough ago has made room.
            while next < events.count,
                Microseconds(events[next].event.tick) * tick + board.refillDelay <= time
            {
                freed = events[next].end
                next += 1
            }
            let room = Double(board.eventMemory + freed)
            delivered = min(delivered + Double(time - last) * perMicrosecond, room)
            last = time
            let missing = Double(end) - delivered
            if missing > 0 {
                return ScheduleCheck(
                    part: .line, time: time,
                    lateness: Microseconds((missing / perMicrosecond).rounded(.up)))
            }
        }
        return nil
    }

    /// Puts the writes of all events on the bus, one after the other.
    private static func bus(
        _ events: [(event: StreamEvent, end: Int)], _ tick: Microseconds, _ board: Board
    ) -> ScheduleCheck? {
        var free: Microseconds = 0
        for (event, _) in events {
            let time = Microseconds(event.tick) * tick
            let start = max(time, free)
            if start - time > Microseconds(BRIDGE_LATE_US) {
                return ScheduleCheck(part: .bus, time: time, lateness: start - time)
            }
            if event.content.writesLevel { free = start + board.writeTime }
        }
        return nil
    }
}

extension ScheduleCheck: CustomStringConvertible {
    public var description: String {
        let place = "at \(Double(time) / 1_000_000) s"
        let late = "\(Double(lateness) / 1_000) ms late"
        return switch part {
        case .line:
            "\(place) events come faster than the line carries them: event memory runs out, "
                + "the first is \(late)"
        case .bus:
            "\(place) levels change faster than the I2C bus carries them: the first is \(late)"
        }
    }
}

extension StreamEvent.Content {
    /// Whether it writes to the chip at once.
    fileprivate var writesLevel: Bool {
        switch self {
        case .tap, .level, .levelSharpness, .levelRamp, .end: true
        case .sharpnessRamp, .tapGain: false
        }
    }
}
