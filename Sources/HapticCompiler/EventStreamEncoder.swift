// From events to event code: for each event the form that takes the fewest bytes now.

/// Writes event code (SPEC 7), event by event.
///
/// Greedy: each event takes its shortest form given what the decoder then remembers. Events that
/// repeat the last few are held back until the repetition ends, and become a run.
public struct EventStreamEncoder: Sendable {
    private var writer = EventWriter()
    private var lastTick: Ticks = 0
    /// Events that are not written yet because they may be part of a run.
    private var pending: [WantedStep] = []
    /// For each length of a run, how far ``pending`` repeats what was written.
    private var repetitions: [Repetition] = []

    /// How many events are held back, for values to be chosen that they can use again.
    private let lookahead: Int

    /// Makes an encoder at the start of a stream: tick 0, all slots empty.
    public init() { self.init(lookahead: 0) }

    /// Makes an encoder that knows some events before it writes one.
    init(lookahead: Int) {
        self.lookahead = lookahead
        restartSearch()
    }

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

/// Finding runs.
extension EventStreamEncoder {
    /// How far the pending events repeat the last ``events`` that were written.
    private struct Repetition {
        let events: Int
        var matched = 0
        var hasEnded = false
    }

    private mutating func append(_ step: WantedStep) {
        pending.append(step)
        extendSearch(with: step, at: pending.count - 1)
        settle(atEnd: false)
    }

    /// Writes pending events as long as it is clear how.
    private mutating func settle(atEnd: Bool) {
        while atEnd ? !pending.isEmpty : pending.count > lookahead,
            atEnd || repetitions.allSatisfy(\.hasEnded)
        {
            if let run = bestRun() {
                writer.writeRun(events: run.events, count: run.count)
                pending.removeFirst(run.events * run.count)
            } else {
                let next = pending.removeFirst()
                writer.write(next, before: pending.prefix(lookahead))
            }
            restartSearch()
        }
    }

    private mutating func restartSearch() {
        let longest = min(writer.history.count, EventCode.runEventsMax)
        repetitions = (0..<longest).map { Repetition(events: $0 + 1) }
        for (index, step) in pending.enumerated() {
            guard !repetitions.allSatisfy(\.hasEnded) else { return }
            extendSearch(with: step, at: index)
        }
    }

    private mutating func extendSearch(with step: WantedStep, at index: Int) {
        for which in repetitions.indices where !repetitions[which].hasEnded {
            let events = repetitions[which].events
            let repeated = writer.history[writer.history.count - events + index % events]
            if step.accepts(repeated) && index < events * EventCode.runCountMax {
                repetitions[which].matched = index + 1
            } else {
                repetitions[which].hasEnded = true
            }
        }
    }

    /// The run that saves the most bytes over writing its events one by one.
    private func bestRun() -> (events: Int, count: Int)? {
        var best: (events: Int, count: Int)?
        var bestSaving = 0
        for repetition in repetitions where repetition.matched >= repetition.events {
            let count = repetition.matched / repetition.events
            // Once written, the same events are in the slots: one byte each from then on.
            let first = pending.prefix(repetition.events).reduce(0) { $0 + writer.cost(of: $1) }
            let others = (count - 1) * repetition.events
            let saving = first + others - EventWriter.runCost(count: count)
            if saving > bestSaving {
                best = (repetition.events, count)
                bestSaving = saving
            }
        }
        return best
    }
}
