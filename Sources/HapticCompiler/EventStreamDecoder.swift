// From event code to events. Strict: what a device would skip as malformed is an error here.

/// Reads event code (SPEC 7).
///
/// Waits and runs are resolved, specials of an unknown code are skipped by their length. Every
/// malformed byte is an error, with its offset.
public struct EventStreamDecoder: Sendable {
    /// Reads a stream.
    ///
    /// - Parameters:
    ///   - bytes: event code from the start of a stream.
    ///   - requiringEnd: whether the stream must be complete. If not, it may stop between events.
    ///   - limit: the most events and waits that are resolved; four bytes can stand for 65,536.
    /// - Throws: ``EventStreamError`` at the first malformed byte.
    public static func decode(
        _ bytes: [UInt8], requiringEnd: Bool = true, limit: Int = eventsMax
    ) throws(EventStreamError) -> [StreamEvent] {
        try read(bytes, requiringEnd: requiringEnd, limit: limit) { _, _ in }
    }

    /// Reads a whole stream; with each event the bytes from the start that it needs.
    static func decodeWithEnds(_ bytes: [UInt8]) throws(EventStreamError) -> [(
        event: StreamEvent, end: Int
    )] {
        var ends: [Int] = []
        let events = try read(bytes, requiringEnd: true, limit: eventsMax) { events, offset in
            ends += Array(repeating: offset, count: events - ends.count)
        }
        return zip(events, ends).map { ($0, $1) }
    }

    /// The most events and waits that are resolved, unless the caller says otherwise.
    public static let eventsMax = 4_000_000

    /// Reads a stream; `note` is told how many events there are so far, and how many bytes they took.
    private static func read(
        _ bytes: [UInt8], requiringEnd: Bool, limit: Int, note: (Int, Int) -> Void
    ) throws(EventStreamError) -> [StreamEvent] {
        var decoder = EventStreamDecoder(bytes: bytes, limit: limit)
        while decoder.offset < bytes.count {
            try decoder.readEvent()
            note(decoder.events.count, decoder.offset)
        }
        guard !requiringEnd || decoder.hasEnded else { throw .missingEnd(offset: bytes.count) }
        return decoder.events
    }

    private let bytes: [UInt8]
    private let limit: Int
    private var offset = 0
    private var events: [StreamEvent] = []
    private var hasEnded = false
    /// Events and waits so far, those of runs included.
    private var executed = 0

    private var tick: Ticks = 0
    private var valueSlots = SlotRing(
        StreamEvent.Content.tap(intensity: 0, sharpness: 0), count: EventCode.valueSlots)
    private var deltaSlots = SlotRing(0, count: EventCode.deltaSlots)
    private var lastTap: (intensity: UInt8, sharpness: UInt8) = (0, 0)
    private var levelRampEnd: Ticks = 0
    private var sharpnessRampEnd: Ticks = 0
    /// What a run may repeat; a wait or an unknown special has no content.
    private var lastEvents: [(delta: Ticks, content: StreamEvent.Content?)] = []

    private init(bytes: [UInt8], limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }
}

/// Bytes.
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

/// Events.
extension EventStreamDecoder {
    private mutating func readEvent() throws(EventStreamError) {
        let start = offset
        guard !hasEnded else { throw .afterEnd(offset: start) }
        let head = try readByte()
        let delta = try readDelta(head & 0x0F)
        let operation = head >> 4
        if operation == EventCode.special {
            try readSpecial(delta: delta, at: start)
        } else if let content = try readContent(operation) {
            try perform(content, after: delta, at: start)
            remember(content, delta)
        }
    }

    private mutating func readDelta(_ code: UInt8) throws(EventStreamError) -> Ticks {
        switch code {
        case EventCode.zeroDelta: return 0
        case EventCode.literalDelta:
            let ticks = try readLiteral()
            if (1...EventCode.slotTicksMax).contains(ticks) { deltaSlots.fill(with: ticks) }
            return ticks
        case EventCode.levelEndDelta: return max(0, levelRampEnd - tick)
        case EventCode.sharpnessEndDelta: return max(0, sharpnessRampEnd - tick)
        default: return deltaSlots.values[Int(code - EventCode.firstSlotDelta)]
        }
    }

    private mutating func readContent(
        _ operation: UInt8
    ) throws(EventStreamError) -> StreamEvent.Content? {
        if Int(operation) < EventCode.valueSlots { return valueSlots.values[Int(operation)] }
        let content: StreamEvent.Content
        switch operation {
        case EventCode.tap: content = .tap(intensity: try readByte(), sharpness: try readByte())
        case EventCode.tapDifference: content = differentTap(try readByte())
        case EventCode.level: content = .level(try readByte())
        case EventCode.levelSharpness:
            content = .levelSharpness(level: try readByte(), sharpness: try readByte())
        case EventCode.levelRamp:
            content = .levelRamp(to: try readByte(), duration: try readLiteral())
        default: content = .sharpnessRamp(to: try readByte(), duration: try readLiteral())
        }
        if fitsSlot(content) { valueSlots.fill(with: content) }
        return content
    }

    private func differentTap(_ argument: UInt8) -> StreamEvent.Content {
        .tap(
            intensity: lastTap.intensity &+ (argument >> 4) &- 8,
            sharpness: lastTap.sharpness &+ ((argument & 0x0F) &- 8) &* 4)
    }

    private func fitsSlot(_ content: StreamEvent.Content) -> Bool {
        switch content {
        case .levelRamp(_, let duration), .sharpnessRamp(_, let duration):
            duration <= EventCode.slotTicksMax
        default: true
        }
    }

    private mutating func perform(
        _ content: StreamEvent.Content?, after delta: Ticks, at start: Int
    ) throws(EventStreamError) {
        executed += 1
        guard executed <= limit else { throw .tooManyEvents(offset: start, limit: limit) }
        tick += delta
        guard let content else { return }
        events.append(StreamEvent(content, at: tick))
        switch content {
        case .tap(let intensity, let sharpness): lastTap = (intensity, sharpness)
        case .level: levelRampEnd = tick
        case .levelSharpness: (levelRampEnd, sharpnessRampEnd) = (tick, tick)
        case .levelRamp(_, let duration): levelRampEnd = tick + duration
        case .sharpnessRamp(_, let duration): sharpnessRampEnd = tick + duration
        case .end: hasEnded = true
        case .tapGain: break
        }
    }

    private mutating func remember(_ content: StreamEvent.Content?, _ delta: Ticks) {
        if lastEvents.count == EventCode.runEventsMax { lastEvents.removeFirst() }
        lastEvents.append((delta, content))
    }
}

/// Specials.
extension EventStreamDecoder {
    private mutating func readSpecial(delta: Ticks, at start: Int) throws(EventStreamError) {
        let codeOffset = offset
        let byte = try readByte()
        let next = offset + Int(byte >> 4)
        guard next <= bytes.count else { throw .truncated(offset: bytes.count) }
        switch byte & 0x0F {
        case EventCode.end: try perform(.end, after: delta, at: start)
        case EventCode.run: try readRun(length: Int(byte >> 4), delta: delta, at: start)
        case EventCode.tapGain:
            guard next - offset >= 2 else { throw .shortSpecial(offset: codeOffset) }
            let content = StreamEvent.Content.tapGain(
                to: try readByte(), duration: try readLiteral())
            try perform(content, after: delta, at: start)
            remember(content, delta)
        default:
            try perform(nil, after: delta, at: start)
            remember(nil, delta)
        }
        guard offset <= next else { throw .shortSpecial(offset: codeOffset) }
        offset = next
    }

    private mutating func readRun(
        length: Int, delta: Ticks, at start: Int
    ) throws(EventStreamError) {
        guard delta == 0 else { throw .runWithDelta(offset: start) }
        guard length >= 1 else { throw .shortSpecial(offset: offset - 1) }
        let first = Int(try readByte())
        let high = length >= 2 ? Int(try readByte()) : 0
        let count = (high << 6 | first & 63) + 1
        let events = (first >> 6) + 1
        let repeated = lastEvents.suffix(events)
        guard repeated.count == events else { throw .runTooEarly(offset: start) }
        for _ in 0..<count {
            for (delta, content) in repeated { try perform(content, after: delta, at: start) }
        }
    }
}

/// Why event code was refused. Offsets count bytes from the start of the stream.
public enum EventStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code stops at `offset`, in the middle of an event.
    case truncated(offset: Int)
    /// The code is over, without END.
    case missingEnd(offset: Int)
    /// Something follows END.
    case afterEnd(offset: Int)
    /// A delta or duration of more than three bytes.
    case literalTooLong(offset: Int)
    /// A special has fewer arguments than its code asks for.
    case shortSpecial(offset: Int)
    /// A run over more events than there were.
    case runTooEarly(offset: Int)
    /// A run that does not start where the last event was.
    case runWithDelta(offset: Int)
    /// The runs of the code stand for more events than the caller wants.
    case tooManyEvents(offset: Int, limit: Int)

    /// The error in words.
    public var description: String {
        switch self {
        case .truncated(let offset): "byte \(offset): the event code stops inside an event"
        case .missingEnd(let offset): "byte \(offset): the event code stops without END"
        case .afterEnd(let offset): "byte \(offset): bytes after END"
        case .literalTooLong(let offset): "byte \(offset): a time of more than three bytes"
        case .shortSpecial(let offset): "byte \(offset): a special that lacks arguments"
        case .runTooEarly(let offset): "byte \(offset): a run over more events than there were"
        case .runWithDelta(let offset): "byte \(offset): a run with a delta"
        case .tooManyEvents(let offset, let limit): "byte \(offset): more than \(limit) events"
        }
    }
}
