// EventWriter: chooses and writes the shortest form of an event.

/// Writes single events and copies, and keeps track of the resulting state of the decoder (SPEC 7).
struct EventWriter: Sendable {
    /// The code that has been written.
    var bytes: [UInt8] = []
    /// The events that have been written, with copies resolved.
    var events: [StreamEvent] = []
    /// The state of a decoder that has read all written code.
    private(set) var decoder = DecoderState()

    /// Writes one event in its shortest form.
    ///
    /// - Parameter later: the events that follow, which may be able to repeat the values of this
    ///   event.
    mutating func write(_ wanted: CandidateStep, before later: ArraySlice<CandidateStep>) {
        guard let event = wanted.event else {
            return write(EventStep(delta: wanted.delta, content: nil))
        }
        var content = shortest(event)
        let form = form(of: content)
        if form.fillsSlot {
            let other = event.variant(of: content, before: later)
            if self.form(of: other).arguments <= form.arguments { content = other }
        }
        write(EventStep(delta: wanted.delta, content: content))
    }

    private mutating func write(_ step: EventStep) {
        let form = form(of: step.content)
        let delta = deltaCode(for: step.delta, of: step.content)
        if step.content == .end, delta == EventCode.levelEndDelta {
            bytes.append(EventCode.endAtLevelEnd)
        } else if step.content == .end, delta == EventCode.literalDelta {
            bytes.append(EventCode.endLiteral)
            bytes += EventCode.literal(step.delta)
        } else {
            bytes.append(form.operation << 4 | delta)
            if delta == EventCode.literalDelta { bytes += EventCode.literal(step.delta) }
            appendArguments(of: step.content, form)
        }
        let slot = Int(form.operation) < EventCode.valueSlots ? form.operation : nil
        decoder.enter(step, slot: slot, deltaCode: delta)
        record(step)
    }

    /// Writes a copy of `count` events. The first of these events lies `distance` events back.
    mutating func writeCopy(from distance: Int, count: Int) {
        let (high, low) = (count - EventCode.copyLengths.lowerBound)
            .quotientAndRemainder(dividingBy: EventCode.copyHeads)
        bytes.append(EventCode.copy + UInt8(low))
        bytes.append(UInt8(high * EventCode.history + distance - 1))
        for _ in 0..<count { record(decoder.enterCopy(from: distance)) }
    }

    private mutating func record(_ step: EventStep) {
        guard let content = step.content else { return }
        events.append(StreamEvent(content, at: decoder.position.tick))
    }
}

/// Choosing values.
extension EventWriter {
    /// Returns the acceptable event that takes the fewest bytes. Among events of equal length,
    /// returns the event nearest to the preferred event; among equally near events, the first.
    func shortest(_ wanted: CandidateEvent) -> StreamEvent.Content {
        if case .exact(let content) = wanted { return content }
        var best: (content: StreamEvent.Content, cost: Int, distance: Int)?
        func consider(_ content: StreamEvent.Content) {
            let cost = form(of: content).arguments
            let distance = wanted.distance(to: content)
            if let best, (best.cost, best.distance) <= (cost, distance) { return }
            best = (content, cost, distance)
        }
        wanted.forEachPreferredForm(consider)
        for content in decoder.values.values where wanted.accepts(content) { consider(content) }
        if let round = wanted.roundForm { consider(round) }
        return best!.content
    }
}

/// Choosing forms.
extension EventWriter {
    /// An operation, and the number of bytes of its arguments.
    private struct Form {
        var operation: UInt8
        var arguments: Int
        var fillsSlot = false
    }

    private func form(of content: StreamEvent.Content?) -> Form {
        guard let content else { return Form(operation: EventCode.special, arguments: 1) }
        if let slot = decoder.values.index(of: content) {
            return Form(operation: slot, arguments: 0)
        }
        switch content {
        case .tap(let intensity, let sharpness):
            return Self.pair(EventCode.tap, EventCode.tapRound, intensity, sharpness)
        case .level: return Form(operation: EventCode.level, arguments: 1, fillsSlot: true)
        case .levelSharpness(let level, let sharpness):
            return Self.pair(
                EventCode.levelSharpness, EventCode.levelSharpnessRound, level, sharpness)
        case .levelRamp(_, let duration), .sharpnessRamp(_, let duration):
            var operation = EventCode.levelRamp
            if case .sharpnessRamp = content { operation = EventCode.sharpnessRamp }
            return Form(
                operation: operation, arguments: 1 + EventCode.literalLength(duration),
                fillsSlot: content.fillsSlot)
        case .tapGain(_, let duration):
            return Form(
                operation: EventCode.special, arguments: 2 + EventCode.literalLength(duration))
        case .end: return Form(operation: EventCode.special, arguments: 1)
        }
    }

    private static func pair(
        _ plain: UInt8, _ round: UInt8, _ first: UInt8, _ second: UInt8
    ) -> Form {
        let isRound = EventCode.roundByte(first, second) != nil
        return Form(
            operation: isRound ? round : plain, arguments: isRound ? 1 : 2, fillsSlot: true)
    }

    private mutating func appendArguments(of content: StreamEvent.Content?, _ form: Form) {
        guard let content else { return bytes.append(EventCode.wait) }
        guard form.operation >= EventCode.valueSlots else { return }
        switch content {
        case .tap(let first, let second), .levelSharpness(let first, let second):
            if form.arguments == 1, let both = EventCode.roundByte(first, second) {
                bytes.append(both)
            } else {
                bytes += [first, second]
            }
        case .level(let level): bytes.append(level)
        case .levelRamp(let value, let duration), .sharpnessRamp(let value, let duration):
            bytes.append(value)
            bytes += EventCode.literal(duration)
        case .tapGain(let gain, let duration):
            bytes += [UInt8(form.arguments - 1) << 4 | EventCode.tapGain, gain]
            bytes += EventCode.literal(duration)
        case .end: bytes.append(EventCode.end)
        }
    }

    /// Returns the code of a delta. For a special, only codes that do not need a slot are
    /// considered.
    private func deltaCode(for delta: Ticks, of content: StreamEvent.Content?) -> UInt8 {
        if delta == 0 { return EventCode.zeroDelta }
        let next = decoder.position.tick + delta
        switch content {
        case nil, .tapGain: return EventCode.literalDelta
        case .end:
            return next == decoder.position.levelEnd
                ? EventCode.levelEndDelta : EventCode.literalDelta
        default: break
        }
        if let slot = decoder.deltas.index(of: delta) { return EventCode.firstSlotDelta + slot }
        if next == decoder.position.levelEnd { return EventCode.levelEndDelta }
        if next == decoder.position.sharpnessEnd { return EventCode.sharpnessEndDelta }
        return EventCode.literalDelta
    }
}
