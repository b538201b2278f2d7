// EventStreamEncoder: converts events to event code, using for each event the form that currently
// takes the fewest bytes.

/// Writes event code (SPEC 7), event by event.
///
/// The encoder is greedy: each event takes its shortest form given what the decoder remembers at
/// that point. Events that repeat earlier ones are held back until the repetition ends, and become
/// a copy.
public struct EventStreamEncoder: Sendable {
    private var writer = EventWriter()
    private var lastTick: Ticks = 0
    /// The events that are not written yet because they may be part of a copy.
    private var pending: [CandidateStep] = []
    /// The positions in the written events from which ``pending`` is repeated up to its last event.
    private var repetitions: [Repetition] = []
    /// The longest repetition that has ended; among equally long ones, the nearest.
    private var longest: Repetition?

    /// The number of events that are held back, so that values can be chosen that they can use
    /// again.
    private let lookahead: Int

    /// Makes an encoder at the start of a stream: at tick 0, with the decoder in its initial state.
    public init() { self.init(lookahead: 0) }

    /// Makes an encoder that waits for a number of later events before it writes one.
    init(lookahead: Int) { self.lookahead = lookahead }

    /// Writes an event.
    ///
    /// - Parameter event: an event that is not earlier than the last one. No event may follow
    ///   `end`.
    public mutating func append(_ event: StreamEvent) {
        append(.exact(event.content), at: event.tick)
        if event.content == .end { settle(atEnd: true) }
    }

    /// Writes an event in the form that takes the fewest bytes, with values chosen within its
    /// ranges.
    mutating func append(_ event: CandidateEvent, at tick: Ticks) {
        precondition(tick >= lastTick, "event at \(tick) after one at \(lastTick)")
        while tick - lastTick > StreamTime.longestDelta {
            append(CandidateStep(delta: StreamTime.longestDelta, event: nil))
            lastTick += StreamTime.longestDelta
        }
        append(CandidateStep(delta: tick - lastTick, event: event))
        lastTick = tick
    }

    /// Writes a wait: nothing changes until `tick`, and the stream does not end there.
    ///
    /// - Parameter tick: a time that is not earlier than the last event.
    public mutating func wait(until tick: Ticks) {
        while tick > lastTick {
            let delta = min(tick - lastTick, StreamTime.longestDelta)
            append(CandidateStep(delta: delta, event: nil))
            lastTick += delta
        }
    }

    /// Returns the form of an event that currently takes the fewest bytes.
    func shortest(_ event: CandidateEvent) -> StreamEvent.Content { writer.shortest(event) }

    /// Writes the events that were held back, so that ``takeBytes()`` returns everything.
    public mutating func flush() { settle(atEnd: true) }

    /// Returns the bytes that became final since the last call.
    public mutating func takeBytes() -> [UInt8] {
        defer { writer.bytes.removeAll(keepingCapacity: true) }
        return writer.bytes
    }

    /// Returns the events of the bytes that became final since the last call.
    mutating func takeEvents() -> [StreamEvent] {
        defer { writer.events.removeAll(keepingCapacity: true) }
        return writer.events
    }

    /// Returns the code of a whole stream or a part of one.
    public static func encode(_ events: [StreamEvent]) -> [UInt8] {
        var encoder = EventStreamEncoder()
        for event in events { encoder.append(event) }
        encoder.flush()
        return encoder.takeBytes()
    }
}

/// Finding copies.
extension EventStreamEncoder {
    /// A match between the pending events and the written events that start `distance` places back.
    private struct Repetition {
        let distance: Int
        var matched = 0
        /// The position in the stream after the matched events.
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

    /// Writes pending events as long as their form can be decided.
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

    /// Searches the decoder's history for the first of the pending events.
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

    /// Extends a repetition to the last of the pending events, unless it ends before that.
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
