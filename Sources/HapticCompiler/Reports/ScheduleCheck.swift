// ScheduleCheck: determines, before a stream is played, whether a board can play it on time.

import CBridgeProtocol
import HapticPatterns

/// A part of a board that is too slow for a stream. The check compares the stream's demands on the
/// serial line, the event memory and the I2C bus with the capacity of the board.
public struct ScheduleCheck: Sendable, Hashable {
    /// The capacity of a board.
    public struct Board: Sendable, Hashable {
        /// The event memory for the stream, in bytes.
        public var eventMemory: Int
        /// The number of event bytes per second that the serial line carries, without framing and
        /// acknowledgements.
        public var bytesPerSecond: Double
        /// The time from the execution of an event until new data arrives in its memory, in
        /// microseconds. It includes the request and the grant of credit.
        public var refillDelay: Microseconds
        /// The duration of one register write on the I2C bus, in microseconds.
        public var writeTime: Microseconds

        /// Makes the reference board: 250,000 baud, frames of 62 bytes with 48 event bytes each,
        /// and I2C at 400 kHz.
        public init(eventMemory: Int) {
            self.eventMemory = eventMemory
            bytesPerSecond = Double(BRIDGE_BAUD) / 10 * 48 / 62
            refillDelay = 60_000
            writeTime = 100
        }
    }

    /// The part of the system that is too slow.
    public enum Part: Sendable, Hashable {
        /// The serial line. Once the event memory is used up, events become due faster than the
        /// line can carry them.
        case line
        /// The I2C bus. Register writes become due faster than the bus can carry them.
        case bus
    }

    /// The part that is too slow.
    public var part: Part
    /// The first time at which the part is too slow, in microseconds from the start of the stream.
    public var time: Microseconds
    /// The delay of the event at that time, in microseconds.
    public var lateness: Microseconds

    /// Returns the parts of `board` that are too slow for a stream: none, the serial line, the bus,
    /// or both. The demand on the bus is a lower bound, because it excludes the steps of ramps and
    /// the ends of taps.
    ///
    /// - Parameters:
    ///   - bytes: event code up to and including END.
    ///   - tick: the length of a tick in microseconds.
    /// - Throws: ``EventStreamError`` if the code is malformed.
    public static func problems(
        of bytes: [UInt8], tick: Microseconds, on board: Board
    ) throws(EventStreamError) -> [ScheduleCheck] {
        let events = try EventStreamDecoder.decodeWithEnds(bytes)
        return [line(events, tick, board), bus(events, tick, board)].compactMap(\.self)
    }

    /// Simulates the playback of the stream from a memory that the serial line refills at its
    /// speed.
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
            // The memory of events that were executed at least the refill delay ago is free again.
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

    /// Simulates the register writes of all events on the bus, one after another.
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
    /// True if the event writes to the driver chip at its time.
    fileprivate var writesLevel: Bool {
        switch self {
        case .tap, .level, .levelSharpness, .levelRamp, .end: true
        case .sharpnessRamp, .tapGain: false
        }
    }
}
