// ScheduleCheck: determines, before a stream is played, whether a board can play the stream on
// time.

import CBridgeProtocol
import HapticPatterns

/// A part of the system that is too slow for a stream. The check compares the stream's demand for
/// the serial line, the event memory and the I2C bus with their capacity.
public struct ScheduleCheck: Sendable, Hashable {
    /// The capacity of a board.
    public struct Board: Sendable, Hashable {
        /// The event memory that is available to the stream, in bytes.
        public var eventMemory: Int
        /// The number of event bytes per second that the serial line transfers, not counting
        /// framing and acknowledgments.
        public var bytesPerSecond: Double
        /// The time from the execution of an event until new data arrives in the memory that the
        /// event occupied, in microseconds. This time includes the time for granting credit.
        public var refillDelay: Microseconds
        /// The duration of one register write on the I2C bus, in microseconds.
        public var writeTime: Microseconds

        /// Creates the reference board: 250,000 baud, frames of 62 bytes that contain 48 event
        /// bytes each, and I2C at 400 kHz.
        public init(eventMemory: Int) {
            self.eventMemory = eventMemory
            bytesPerSecond = Double(BRIDGE_BAUD) / 10 * 48 / 62
            refillDelay = 60_000
            writeTime = 100
        }
    }

    /// The part of the system that is too slow.
    public enum Part: Sendable, Hashable {
        /// The serial line. Once the event memory has been used up, events become due faster than
        /// the line can transfer them.
        case line
        /// The I2C bus. Register writes become due faster than the bus can transfer them.
        case bus
    }

    /// The part that is too slow.
    public var part: Part
    /// The first time at which the part is too slow, in microseconds from the start of the stream.
    public var time: Microseconds
    /// The delay of the event that is due at that time, in microseconds.
    public var lateness: Microseconds

    /// Returns the parts that are too slow for a stream on `board`: none, the serial line, the bus,
    /// or both. The demand for the bus is only a lower bound, because it does not include the steps
    /// of ramps and the ends of taps.
    ///
    /// - Parameters:
    ///   - bytes: event code up to and including END.
    ///   - tick: the length of a tick in microseconds.
    /// - Throws: ``EventStreamError`` if the code is malformed.
    public static func problems(
        of bytes: [UInt8], tick: Microseconds, on board: Board
    ) throws(EventStreamError) -> [ScheduleCheck] {
        let events = try EventStreamDecoder.decodeWithEnds(bytes)
        return [line(events, tick, board), bus(events, tick, board)].compactMap { $0 }
    }

    /// Simulates the playback of the stream from a memory that is refilled at the speed of the
    /// serial line.
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
            // The memory of an event is free again once `refillDelay` has passed since its
            // execution.
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

    /// Simulates the register writes of all events, which the bus transfers one after another.
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
        let moment = "at \(Double(time) / 1_000_000) s"
        let late = "\(Double(lateness) / 1_000) ms late"
        return switch part {
        case .line:
            "\(moment), events follow each other faster than the serial line transmits them: the "
                + "event memory runs out, and the first event is \(late)"
        case .bus:
            "\(moment), levels change faster than the I2C bus transmits them: the first level is "
                + "\(late)"
        }
    }
}

extension StreamEvent.Content {
    /// True if the device writes to the driver chip when the event is due.
    fileprivate var writesLevel: Bool {
        switch self {
        case .tap, .level, .levelSharpness, .levelRamp, .end: true
        case .sharpnessRamp, .tapGain: false
        }
    }
}
