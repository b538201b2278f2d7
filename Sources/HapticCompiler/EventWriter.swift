// The forms of the event code, and the memory that the decoder will have while reading them.

/// An event with its distance from the one before; without content, a wait.
struct EventStep: Sendable, Hashable {
    var delta: Ticks
    var content: StreamEvent.Content?
}

/// The same before it is decided how to say it.
struct WantedStep: Sendable {
    var delta: Ticks
    var event: WantedEvent?

    func accepts(_ step: EventStep) -> Bool {
        guard delta == step.delta else { return false }
        guard let event, let content = step.content else {
            return event == nil && step.content == nil
        }
        return event.accepts(content)
    }
}

/// Writes single events and runs, and keeps in step with the decoder's memory (SPEC 7).
struct EventWriter: Sendable {
    /// The code so far.
    var bytes: [UInt8] = []
    /// The last events, oldest first: as many as a run can name.
    private(set) var history: [EventStep] = []
    /// The events that were written, runs resolved.
    var events: [StreamEvent] = []

    private var now: Ticks = 0
    private var values = SlotRing(
        StreamEvent.Content.tap(intensity: 0, sharpness: 0), count: EventCode.valueSlots)
    private var deltas = SlotRing(0, count: EventCode.deltaSlots)
    private var lastTap: (intensity: UInt8, sharpness: UInt8)?
    private var levelEnd: Ticks = 0
    private var sharpnessEnd: Ticks = 0

    /// Writes one event in its shortest form.
    ///
    /// - Parameter later: events that will follow, to which its values may be of use.
    mutating func write(_ wanted: WantedStep, before later: ArraySlice<WantedStep>) {
        var content = wanted.event.map(shortest)
        if let event = wanted.event, let plain = content, form(of: plain).fillsSlot {
            content = event.variant(of: plain, before: later.lazy.compactMap(\.event))
        }
        write(EventStep(delta: wanted.delta, content: content))
    }

    private mutating func write(_ step: EventStep) {
        let delta = deltaCode(for: step.delta)
        let form = form(of: step.content)
        bytes.append(form.operation << 4 | delta)
        if delta == EventCode.literalDelta { appendLiteral(step.delta) }
        if delta == EventCode.literalDelta, (1...EventCode.slotTicksMax).contains(step.delta) {
            deltas.fill(with: step.delta)
        }
        bytes += form.arguments
        if form.fillsSlot, let content = step.content { values.fill(with: content) }
        execute(step)
        remember(step)
    }

    /// Writes a repetition of the last `events` events, `count` times.
    mutating func writeRun(events: Int, count: Int) {
        let length: UInt8 = count > 64 ? 2 : 1
        bytes.append(EventCode.special << 4 | EventCode.zeroDelta)
        bytes.append(length << 4 | EventCode.run)
        bytes.append(UInt8(events - 1) << 6 | UInt8((count - 1) & 63))
        if length == 2 { bytes.append(UInt8((count - 1) >> 6)) }
        let repeated = history.suffix(events)
        for _ in 0..<count {
            for event in repeated { execute(event) }
        }
    }

    /// The bytes of a run.
    static func runCost(count: Int) -> Int { count > 64 ? 4 : 3 }

    /// The bytes that ``write(_:)`` would take now.
    func cost(of step: WantedStep) -> Int {
        let literal = deltaCode(for: step.delta) == EventCode.literalDelta
        return 1 + (literal ? Self.literal(step.delta).count : 0)
            + form(of: step.event.map(shortest)).arguments.count
    }

    /// Of all events that do what is wanted, the one that takes the fewest bytes; of equals the
    /// nearest to what is preferred.
    func shortest(_ wanted: WantedEvent) -> StreamEvent.Content {
        if case .exact(let content) = wanted { return content }
        var forms = wanted.preferredForms
        let plainest = forms.count
        forms += values.values.filter(wanted.accepts)
        if case .tap(let intensity, let sharpness) = wanted,
            let near = tapNearLast(intensity, sharpness)
        {
            forms.append(near)
        }
        if forms.count == 1 { return forms[0] }
        let costs = forms.enumerated().map { index, form in
            (
                self.form(of: form).arguments.count, wanted.distance(to: form),
                index < plainest ? 0 : 1
            )
        }
        return forms[costs.indices.min { costs[$0] < costs[$1] }!]
    }

    /// A tap that can be given as its difference to the last.
    private func tapNearLast(
        _ intensity: WantedValue, _ sharpness: WantedValue
    ) -> StreamEvent.Content? {
        guard let last = lastTap else { return nil }
        let least = max(Int(intensity.range.lowerBound), Int(last.intensity) - 8)
        let most = min(Int(intensity.range.upperBound), Int(last.intensity) + 7)
        let sharper = (Double(Int(sharpness.preferred) - Int(last.sharpness)) / 4).rounded()
        let other = Int(last.sharpness) + 4 * Int(min(max(sharper, -8), 7))
        guard least <= most, let other = UInt8(exactly: other), sharpness.range.contains(other)
        else { return nil }
        let one = UInt8(min(max(Int(intensity.preferred), least), most))
        return .tap(intensity: one, sharpness: other)
    }

    /// Seven bits a byte, least significant first, bit 7 set on all but the last.
    static func literal(_ ticks: Ticks) -> [UInt8] {
        precondition((0...StreamTime.longestDelta).contains(ticks), "\(ticks) ticks in one event")
        var rest = ticks
        var bytes: [UInt8] = []
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private mutating func appendLiteral(_ ticks: Ticks) { bytes += Self.literal(ticks) }
}

/// Choosing forms.
extension EventWriter {
    /// An operation with its arguments.
    private struct Form {
        var operation: UInt8
        var arguments: [UInt8] = []
        var fillsSlot = false

        static func special(_ code: UInt8, _ arguments: [UInt8] = []) -> Form {
            Form(
                operation: EventCode.special,
                arguments: [UInt8(arguments.count) << 4 | code] + arguments)
        }
    }

    private func deltaCode(for delta: Ticks) -> UInt8 {
        if delta == 0 { return EventCode.zeroDelta }
        if let slot = deltas.index(of: delta) { return EventCode.firstSlotDelta + slot }
        if now + delta == levelEnd { return EventCode.levelEndDelta }
        if now + delta == sharpnessEnd { return EventCode.sharpnessEndDelta }
        return EventCode.literalDelta
    }

    private func form(of content: StreamEvent.Content?) -> Form {
        guard let content else { return .special(EventCode.wait) }
        if let slot = values.index(of: content) { return Form(operation: slot) }
        switch content {
        case .tap(let intensity, let sharpness): return tapForm(intensity, sharpness)
        case .level(let level):
            return Form(operation: EventCode.level, arguments: [level], fillsSlot: true)
        case .levelSharpness(let level, let sharpness):
            return Form(
                operation: EventCode.levelSharpness, arguments: [level, sharpness], fillsSlot: true)
        case .levelRamp(let level, let duration):
            return Self.ramp(EventCode.levelRamp, level, duration)
        case .sharpnessRamp(let sharpness, let duration):
            return Self.ramp(EventCode.sharpnessRamp, sharpness, duration)
        case .tapGain(let gain, let duration):
            return .special(EventCode.tapGain, [gain] + Self.literal(duration))
        case .end: return .special(EventCode.end)
        }
    }

    private static func ramp(_ operation: UInt8, _ value: UInt8, _ duration: Ticks) -> Form {
        Form(
            operation: operation, arguments: [value] + literal(duration),
            fillsSlot: duration <= EventCode.slotTicksMax)
    }

    private func tapForm(_ intensity: UInt8, _ sharpness: UInt8) -> Form {
        if let last = lastTap {
            let up = Int8(bitPattern: intensity &- last.intensity)
            let sharper = Int8(bitPattern: sharpness &- last.sharpness)
            if (-8...7).contains(up), (-32...28).contains(sharper), sharper % 4 == 0 {
                let argument = UInt8(up + 8) << 4 | UInt8(sharper / 4 + 8)
                return Form(
                    operation: EventCode.tapDifference, arguments: [argument], fillsSlot: true)
            }
        }
        return Form(
            operation: EventCode.tap, arguments: [intensity, sharpness], fillsSlot: true)
    }
}

/// Keeping in step with the decoder.
extension EventWriter {
    private mutating func execute(_ step: EventStep) {
        now += step.delta
        if let content = step.content { events.append(StreamEvent(content, at: now)) }
        switch step.content {
        case .tap(let intensity, let sharpness): lastTap = (intensity, sharpness)
        case .level: levelEnd = now
        case .levelSharpness: (levelEnd, sharpnessEnd) = (now, now)
        case .levelRamp(_, let duration): levelEnd = now + duration
        case .sharpnessRamp(_, let duration): sharpnessEnd = now + duration
        case .tapGain, .end, nil: break
        }
    }

    private mutating func remember(_ step: EventStep) {
        guard step.content != .end else { return }
        if history.count == EventCode.runEventsMax { history.removeFirst() }
        history.append(step)
    }
}
