// EventStreamDecoder: converts event code to events. The decoder is strict: it reports malformed
// code as an error, even if a device would skip that code.

/// Reads event code (SPEC 7).
///
/// The decoder resolves waits and copies. If the code of a special is unknown, the decoder uses the
/// length of the special to skip it. A malformed byte causes an error that states its offset.
public struct EventStreamDecoder: Sendable {
    /// Reads a stream.
    ///
    /// - Parameters:
    ///   - bytes: event code from the start of a stream.
    ///   - requiringEnd: true if the stream must be complete. If false, the stream may stop between
    ///     two events.
    ///   - limit: the maximum number of decoded events and waits. Two bytes can represent up to 98
    ///     events and waits.
    /// - Throws: ``EventStreamError`` at the first malformed byte.
    public static func decode(
        _ bytes: [UInt8], requiringEnd: Bool = true, limit: Int = eventsMax
    ) throws(EventStreamError) -> [StreamEvent] {
        try read(bytes, requiringEnd: requiringEnd, limit: limit) { _, _ in }
    }

    /// Reads a whole stream. Returns each event together with the number of bytes, from the start
    /// of the stream, that are needed to decode it.
    static func decodeWithEnds(_ bytes: [UInt8]) throws(EventStreamError) -> [(
        event: StreamEvent, end: Int
    )] {
        var ends: [Int] = []
        let events = try read(bytes, requiringEnd: true, limit: eventsMax) { events, offset in
            ends += Array(repeating: offset, count: events - ends.count)
        }
        return zip(events, ends).map { ($0, $1) }
    }

    /// The default limit for the number of decoded events and waits.
    public static let eventsMax = 4_000_000

    /// Reads a stream. After each step, calls `onStep` with the number of events and the number of
    /// bytes that have been read so far.
    private static func read(
        _ bytes: [UInt8], requiringEnd: Bool, limit: Int, onStep: (Int, Int) -> Void
    ) throws(EventStreamError) -> [StreamEvent] {
        var decoder = EventStreamDecoder(bytes: bytes, limit: limit)
        while decoder.offset < bytes.count {
            try decoder.readEvent()
            onStep(decoder.events.count, decoder.offset)
        }
        guard !requiringEnd || decoder.hasEnded else { throw .missingEnd(offset: bytes.count) }
        return decoder.events
    }

    private let bytes: [UInt8]
    private let limit: Int
    private var offset = 0
    private var events: [StreamEvent] = []
    private var hasEnded = false
    /// The number of events and waits that have been read so far, including the events that copies
    /// repeat.
    private var executed = 0
    private var state = DecoderState()

    private init(bytes: [UInt8], limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }
}

/// Reading bytes.
extension EventStreamDecoder {
    private mutating func readByte() throws(EventStreamError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated(offset: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    private mutating func readLiteral() throws(EventStreamError) -> Ticks {
        let start = offset
        var ticks = 0
        for index in 0..<EventCode.literalBytesMax {
            let byte = try readByte()
            ticks |= Ticks(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return ticks }
        }
        throw .literalTooLong(offset: start)
    }
}

/// Reading events.
extension EventStreamDecoder {
    private mutating func readEvent() throws(EventStreamError) {
        let start = offset
        guard !hasEnded else { throw .afterEnd(offset: start) }
        let head = try readByte()
        switch head {
        case EventCode.copy...: try readCopy(head, at: start)
        case EventCode.endLiteral: try end(after: readLiteral(), at: start)
        case EventCode.endAtLevelEnd:
            try end(
                after: state.delta(of: EventCode.levelEndDelta, at: state.position), at: start)
        case (EventCode.special << 4)...: try readSpecial(head & 0x0F, at: start)
        default: try readPlain(head, at: start)
        }
    }

    private mutating func readPlain(_ head: UInt8, at start: Int) throws(EventStreamError) {
        let (operation, code) = (head >> 4, head & 0x0F)
        let delta = try readDelta(code)
        let slot = Int(operation) < EventCode.valueSlots ? operation : nil
        let content =
            if let slot { state.values.values[Int(slot)] } else { try readContent(operation) }
        let step = EventStep(delta: delta, content: content)
        try count(at: start)
        state.enter(step, slot: slot, deltaCode: code)
        append(content)
    }

    private mutating func readDelta(_ code: UInt8) throws(EventStreamError) -> Ticks {
        code == EventCode.literalDelta
            ? try readLiteral() : state.delta(of: code, at: state.position)
    }

    private mutating func readContent(
        _ operation: UInt8
    ) throws(EventStreamError) -> StreamEvent.Content {
        switch operation {
        case EventCode.tap: return .tap(intensity: try readByte(), sharpness: try readByte())
        case EventCode.tapRound:
            let (intensity, sharpness) = try readRound()
            return .tap(intensity: intensity, sharpness: sharpness)
        case EventCode.level: return .level(try readByte())
        case EventCode.levelSharpness:
            return .levelSharpness(level: try readByte(), sharpness: try readByte())
        case EventCode.levelSharpnessRound:
            let (level, sharpness) = try readRound()
            return .levelSharpness(level: level, sharpness: sharpness)
        case EventCode.levelRamp:
            return .levelRamp(to: try readByte(), duration: try readLiteral())
        default: return .sharpnessRamp(to: try readByte(), duration: try readLiteral())
        }
    }

    private mutating func readRound() throws(EventStreamError) -> (UInt8, UInt8) {
        let both = try readByte()
        return (EventCode.roundValues[Int(both >> 4)], EventCode.roundValues[Int(both & 0x0F)])
    }

    private mutating func readCopy(_ head: UInt8, at start: Int) throws(EventStreamError) {
        let source = Int(try readByte())
        let (high, distance) = source.quotientAndRemainder(dividingBy: EventCode.history)
        let length =
            high * EventCode.copyHeads + Int(head - EventCode.copy)
            + EventCode.copyLengths.lowerBound
        for _ in 0..<length {
            try count(at: start)
            append(state.enterCopy(from: distance + 1).content)
        }
    }

    private mutating func count(at start: Int) throws(EventStreamError) {
        executed += 1
        guard executed <= limit else { throw .tooManyEvents(offset: start, limit: limit) }
    }

    private mutating func append(_ content: StreamEvent.Content?) {
        if let content { events.append(StreamEvent(content, at: state.position.tick)) }
    }

    /// Executes an event that is not stored in a slot.
    private mutating func perform(
        _ content: StreamEvent.Content?, after delta: Ticks, _ code: UInt8, at start: Int
    ) throws(EventStreamError) {
        try count(at: start)
        state.enter(EventStep(delta: delta, content: content), slot: nil, deltaCode: code)
        append(content)
    }

    private mutating func end(after delta: Ticks, at start: Int) throws(EventStreamError) {
        try perform(.end, after: delta, EventCode.zeroDelta, at: start)
        hasEnded = true
    }
}

/// Reading specials.
extension EventStreamDecoder {
    private mutating func readSpecial(_ code: UInt8, at start: Int) throws(EventStreamError) {
        let delta = try readDelta(code)
        let codeOffset = offset
        let byte = try readByte()
        let next = offset + Int(byte >> 4)
        guard next <= bytes.count else { throw .truncated(offset: bytes.count) }
        switch byte & 0x0F {
        case EventCode.end: try end(after: delta, at: start)
        case EventCode.tapGain:
            guard next - offset >= 2 else { throw .shortSpecial(offset: codeOffset) }
            let content = StreamEvent.Content.tapGain(
                to: try readByte(), duration: try readLiteral())
            try perform(content, after: delta, code, at: start)
        default: try perform(nil, after: delta, code, at: start)
        }
        guard offset <= next else { throw .shortSpecial(offset: codeOffset) }
        offset = next
    }
}
