// What a decoder of event code remembers: the same for the device, for whoever reads a stream, and
// for its writer, who has to know what can be said shortly.

internal import CBridgeProtocol

/// Slots that are filled in turn and start over after the last (SPEC 7).
struct SlotRing<Value: Equatable & Sendable>: Sendable {
    private(set) var values: [Value]
    private var next = 0

    init(_ values: [Value]) { self.values = values }

    /// Fills the next slot; returns its index.
    @discardableResult
    mutating func fill(with value: Value) -> UInt8 {
        let slot = next
        values[slot] = value
        next = slot + 1 < values.count ? slot + 1 : 0
        return UInt8(slot)
    }

    /// The index of a slot that holds the value.
    func index(of value: Value) -> UInt8? { values.firstIndex(of: value).map { UInt8($0) } }
}

/// An event with its distance from the one before; without content, a wait.
struct EventStep: Sendable, Hashable {
    var delta: Ticks
    var content: StreamEvent.Content?
}

/// Where a stream is, and where its ramps end.
struct StreamPosition: Sendable, Equatable {
    private(set) var tick: Ticks = 0
    private(set) var levelEnd: Ticks = 0
    private(set) var sharpnessEnd: Ticks = 0

    mutating func execute(_ step: EventStep) {
        tick += step.delta
        switch step.content {
        case .level: levelEnd = tick
        case .levelSharpness: (levelEnd, sharpnessEnd) = (tick, tick)
        case .levelRamp(_, let duration): levelEnd = tick + duration
        case .sharpnessRamp(_, let duration): sharpnessEnd = tick + duration
        case .tap, .tapGain, .end, nil: break
        }
    }
}

/// The state of a decoder between two events (SPEC 7).
struct DecoderState: Sendable {
    var position = StreamPosition()
    private(set) var values: SlotRing<StreamEvent.Content> = {
        var values = Array(
            repeating: StreamEvent.Content.tap(intensity: 0, sharpness: 0),
            count: EventCode.valueSlots)
        values[values.count - 1] = .level(0)
        return SlotRing(values)
    }()
    private(set) var deltas = SlotRing(
        (0..<EventCode.deltaSlots).map { Ticks(bridge_delta_at_first(UInt8($0))) })
    /// A ring of first bytes that say an event again.
    private var history = [UInt8](repeating: 0, count: EventCode.history)
    /// The events that entered the history.
    private(set) var past = 0

    /// Enters an event that was read or written in some form.
    ///
    /// - Parameters:
    ///   - slot: the value slot that it came from; nil if it came from none.
    ///   - code: the code that its delta had.
    mutating func enter(_ step: EventStep, slot: UInt8?, deltaCode code: UInt8) {
        var (slot, code) = (slot, code)
        if code == EventCode.literalDelta, (1...EventCode.slotTicksMax).contains(step.delta) {
            code = EventCode.firstSlotDelta + deltas.fill(with: step.delta)
        }
        if slot == nil, let content = step.content, content.fillsSlot {
            slot = values.fill(with: content)
        }
        if let slot, code != EventCode.literalDelta { remember(slot << 4 | code) }
        position.execute(step)
    }

    /// Executes an event that a copy repeats.
    mutating func enterCopy(from distance: Int) -> EventStep {
        let head = head(distance)
        let step = step(of: head, at: position)
        remember(head)
        position.execute(step)
        return step
    }

    private mutating func remember(_ head: UInt8) {
        history[past % EventCode.history] = head
        past += 1
    }

    /// The first byte of the event so many places back; 0 of one that never was.
    func head(_ distance: Int) -> UInt8 {
        history[(past + EventCode.history - distance) % EventCode.history]
    }

    /// The event that a first byte stands for, if both of its halves name a slot or a ramp's end.
    func step(of head: UInt8, at position: StreamPosition) -> EventStep {
        EventStep(
            delta: delta(of: head & 0x0F, at: position), content: values.values[Int(head >> 4)])
    }

    /// The operations, bit by bit, whose slot holds an event that will do.
    func operations(where isWanted: (StreamEvent.Content) -> Bool) -> UInt16 {
        var operations: UInt16 = 0
        for (slot, content) in values.values.enumerated() where isWanted(content) {
            operations |= 1 << slot
        }
        return operations
    }

    /// The codes, bit by bit, that stand for a delta now.
    func deltaCodes(of delta: Ticks) -> UInt16 {
        var codes: UInt16 = 0
        for code in EventCode.zeroDelta...0x0F
        where code != EventCode.literalDelta && self.delta(of: code, at: position) == delta {
            codes |= 1 << code
        }
        return codes
    }

    /// The ticks that a code without a literal stands for.
    func delta(of code: UInt8, at position: StreamPosition) -> Ticks {
        switch code {
        case EventCode.zeroDelta: 0
        case EventCode.levelEndDelta: max(0, position.levelEnd - position.tick)
        case EventCode.sharpnessEndDelta: max(0, position.sharpnessEnd - position.tick)
        default: deltas.values[Int(code - EventCode.firstSlotDelta)]
        }
    }
}

extension StreamEvent.Content {
    /// Whether the event, read or written in full, enters a value slot.
    var fillsSlot: Bool {
        switch self {
        case .tap, .level, .levelSharpness: true
        case .levelRamp(_, let duration), .sharpnessRamp(_, let duration):
            duration <= EventCode.slotTicksMax
        case .tapGain, .end: false
        }
    }
}
