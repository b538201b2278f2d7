// From events to event code: for each event the form that takes the fewest bytes now.

/// Writes event code (SPEC 7), event by event.
///
/// Greedy: each event takes its shortest form given what the decoder then remembers. Events that
/// repeat earlier ones are held back until the repetition ends, and become a copy.
public struct EventStreamEncoder: Sendable {
    private var writer = EventWriter()
    private var lastTick: Ticks = 0
    /// Events that are not written yet because they may be part of a copy.
    private var pending: [WantedStep] = []
    /// The places in what was written that ``pending`` repeats to its end.
    private var repetitions: [Repetition] = []
    /// The longest repetition that has an end, or the nearest of such.
    private var longest: Repetition?

    /// How many events are held back, for values to be chosen that they can use again.
    private let lookahead: Int

    /// Makes an encoder at the start of a stream: tick 0, a fresh decoder.
    public init() { self.init(lookahead: 0) }

    /// Makes an encoder that knows some events before it writes one.
    init(lookahead: Int) { self.lookahead = lookahead }

    /// Writes an event.
    ///
    /// - Parameter event: not before the last one, and none after `end`.
    public mutating func append(_ event: StreamEvent) {
        append(.exact(event.content), at: event.tick)
        if event.content == .end { settle(atEnd: true) }
    }

    /// Writes an event in the form, and within its ranges the values, that take the fewest bytes.
    mutating func append(_ event: WantedEvent, at tick: Ticks) {
        precondition(tick >= lastTick, "event at \(tick) after one at \(lastTick)")
        while tick - lastTick > StreamTime.longestDelta {
            append(WantedStep(delta: StreamTime.longestDelta, event: nil))
            lastTick += StreamTime.longestDelta
        }
        append(WantedStep(delta: tick - lastTick, event: event))
        lastTick = tick
    }

    /// Writes a wait: until `tick` nothing changes, and the stream is not at its end.
    ///
    /// - Parameter tick: not before the last event.
    public mutating func wait(until tick: Ticks) {
        while tick > lastTick {
            let delta = min(tick - lastTick, StreamTime.longestDelta)
            append(WantedStep(delta: delta, event: nil))
            lastTick += delta
        }
    }

    /// The form that takes the fewest bytes now.
    func shortest(_ event: WantedEvent) -> StreamEvent.Content { writer.shortest(event) }

    /// Writes out what was held back, so that ``takeBytes()`` gives everything.
    public mutating func flush() { settle(atEnd: true) }

    /// The bytes that became final since the last call.
    public mutating func takeBytes() -> [UInt8] {
        defer { writer.bytes.removeAll(keepingCapacity: true) }
        return writer.bytes
    }

    /// The events of the bytes that became final since the last call.
    mutating func takeEvents() -> [StreamEvent] {
        defer { writer.events.removeAll(keepingCapacity: true) }
        return writer.events
    }

    /// The code of a whole stream or a part of one.
    public static func encode(_ events: [StreamEvent]) -> [UInt8] {
        var encoder = EventStreamEncoder()
        for event in events { encoder.append(event) }
        encoder.flush()
        return encoder.takeBytes()
    }
}

/// Finding copies.
extension EventStreamEncoder {
    /// How far the pending events repeat those from `distance` places back on.
    private struct Repetition {
        let distance: Int
        var matched = 0
        /// Where the stream is after them.
        var position: StreamPosition
    }

    private mutating func append(_ step: WantedStep) {
        pending.append(step)
        if pending.count == 1 {
            restartSearch()
        } else {
            let known = repetitions
            repetitions.removeAll(keepingCapacity: true)
            for repetition in known { follow(repetition) }
        }
        settle(atEnd: false)
    }

    /// Writes pending events as long as it is clear how.
    private mutating func settle(atEnd: Bool) {
        while atEnd ? !pending.isEmpty : pending.count > lookahead,
            atEnd || repetitions.isEmpty
        {
            for repetition in repetitions { take(repetition) }
            if let longest, longest.matched >= EventCode.copyLengths.lowerBound {
                writer.writeCopy(from: longest.distance, count: longest.matched)
                pending.removeFirst(longest.matched)
            } else {
                let next = pending.removeFirst()
                writer.write(next, before: pending.prefix(lookahead))
            }
            restartSearch()
        }
    }

    /// Looks for the first of the pending events in all that the decoder remembers.
    private mutating func restartSearch() {
        longest = nil
        repetitions.removeAll(keepingCapacity: true)
        guard let first = pending.first, let event = first.event else { return }
        let decoder = writer.decoder
        let operations = decoder.operations(where: event.accepts)
        guard operations != 0 else { return }
        let codes = decoder.deltaCodes(of: first.delta)
        for distance in 1...EventCode.history where distance <= decoder.past {
            let head = decoder.head(distance)
            guard operations >> (head >> 4) & codes >> (head & 0x0F) & 1 == 1 else { continue }
            follow(Repetition(distance: distance, position: decoder.position))
        }
    }

    /// Goes on to the last of the pending events, unless the repetition ends before it.
    private mutating func follow(_ known: Repetition) {
        var repetition = known
        while repetition.matched < pending.count {
            let back = repetition.distance - repetition.matched % repetition.distance
            let head = writer.decoder.head(back)
            let step = writer.decoder.step(of: head, at: repetition.position)
            guard repetition.matched < EventCode.copyLengths.upperBound,
                pending[repetition.matched].accepts(step)
            else { return take(repetition) }
            repetition.position.execute(step)
            repetition.matched += 1
        }
        repetitions.append(repetition)
    }

    private mutating func take(_ repetition: Repetition) {
        if repetition.matched > longest?.matched ?? 0 { longest = repetition }
    }
}
