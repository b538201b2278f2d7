// EventStreamEncoder: converts events to event code, using the shortest available form for each
// event.

/// Writes event code (SPEC 7), event by event.
///
/// The encoder is greedy: it writes each event in the shortest form that the current state of the
/// decoder allows. If events repeat earlier events, the encoder holds them back until the
/// repetition ends, and then writes them as one copy.
public struct EventStreamEncoder: Sendable {
    private var writer = EventWriter()
    private var lastTick: Ticks = 0
    /// The events that have not been written yet, because they may become part of a copy or because
    /// too few later events are known.
    private var pending: [CandidateStep] = []
    /// The positions at which written events match all of ``pending``.
    private var repetitions: [Repetition] = []
    /// The longest repetition that has ended. If several repetitions are equally long, this is the
    /// nearest of them.
    private var longest: Repetition?

    /// The number of later events that must be known before an event is written. The values of the
    /// event are chosen so that the later events can repeat them.
    private let lookahead: Int

    /// Creates an encoder for a new stream: at tick 0, and with the decoder in its initial state.
    public init() { self.init(lookahead: 0) }

    /// Creates an encoder that writes an event only after the given number of later events is
    /// known.
    init(lookahead: Int) { self.lookahead = lookahead }

    /// Writes an event.
    ///
    /// - Parameter event: the event, which must not be earlier than the previous event. `end` must
    ///   be the last event.
    public mutating func append(_ event: StreamEvent) {
        append(.exact(event.content), at: event.tick)
        if event.content == .end { settle(atEnd: true) }
    }

    /// Writes an event in the form that takes the fewest bytes. The values of the event are chosen
    /// within their ranges.
    mutating func append(_ event: CandidateEvent, at tick: Ticks) {
        precondition(tick >= lastTick, "event at \(tick) after one at \(lastTick)")
        while tick - lastTick > StreamTime.longestDelta {
            append(CandidateStep(delta: StreamTime.longestDelta, event: nil))
            lastTick += StreamTime.longestDelta
        }
        append(CandidateStep(delta: tick - lastTick, event: event))
        lastTick = tick
    }

    /// Writes a wait until `tick`.
    ///
    /// - Parameter tick: the end of the wait, which must not be earlier than the previous event.
    public mutating func wait(until tick: Ticks) {
        while tick > lastTick {
            let delta = min(tick - lastTick, StreamTime.longestDelta)
            append(CandidateStep(delta: delta, event: nil))
            lastTick += delta
        }
    }

    /// Returns the form of an event that takes the fewest bytes in the current state.
    func shortest(_ event: CandidateEvent) -> StreamEvent.Content { writer.shortest(event) }

    /// Writes all events that have been held back, so that ``drainBytes()`` returns the complete
    /// code.
    public mutating func flush() { settle(atEnd: true) }

    /// Returns the bytes that have become final since the last call.
    public mutating func drainBytes() -> [UInt8] {
        defer { writer.bytes.removeAll(keepingCapacity: true) }
        return writer.bytes
    }

    /// Returns the events whose bytes have become final since the last call.
    mutating func drainEvents() -> [StreamEvent] {
        defer { writer.events.removeAll(keepingCapacity: true) }
        return writer.events
    }

    /// Returns the event code of a stream, or of the beginning of a stream.
    public static func encode(_ events: [StreamEvent]) -> [UInt8] {
        var encoder = EventStreamEncoder()
        for event in events { encoder.append(event) }
        encoder.flush()
        return encoder.drainBytes()
    }
}

/// Finding copies.
extension EventStreamEncoder {
    /// A match between the pending events and written events. The match starts `distance` events
    /// back.
    private struct Repetition {
        let distance: Int
        var matched = 0
        /// The position in the stream after the events of the match.
        var position: StreamPosition
    }

    private mutating func append(_ step: CandidateStep) {
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

    /// Writes the pending events for which a form can be chosen.
    private mutating func settle(atEnd: Bool) {
        while atEnd ? !pending.isEmpty : pending.count > lookahead,
            atEnd || repetitions.isEmpty
        {
            for repetition in repetitions { record(repetition) }
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

    /// Searches the decoder's history for events that match the first pending event.
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

    /// Extends a repetition to include all pending events. If a pending event does not match, the
    /// repetition has ended and is recorded.
    private mutating func follow(_ known: Repetition) {
        var repetition = known
        while repetition.matched < pending.count {
            let back = repetition.distance - repetition.matched % repetition.distance
            let head = writer.decoder.head(back)
            let step = writer.decoder.step(of: head, at: repetition.position)
            guard repetition.matched < EventCode.copyLengths.upperBound,
                pending[repetition.matched].accepts(step)
            else { return record(repetition) }
            repetition.position.execute(step)
            repetition.matched += 1
        }
        repetitions.append(repetition)
    }

    private mutating func record(_ repetition: Repetition) {
        if repetition.matched > longest?.matched ?? 0 { longest = repetition }
    }
}
