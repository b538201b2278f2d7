// DecoderState: the state of a decoder of event code. The device's decoder and the host's decoder
// maintain the same state. The writer simulates this state to determine which short forms are
// available.

import CBridgeProtocol

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
    /// The first bytes of recent events, in a ring buffer. The first byte is sufficient to repeat
    /// an event.
    private var history = [UInt8](repeating: 0, count: EventCode.history)
    /// The number of events that have been added to the history.
    private(set) var past = 0

    /// Updates the state with an event that was read or written.
    ///
    /// - Parameters:
    ///   - slot: the value slot that the event referred to; nil if the event was written in full.
    ///   - code: the code of the event's delta.
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

    /// Updates the state with an event that is repeated by a copy, and returns that event.
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

    /// Returns the first byte of the event that lies `distance` events back; 0 if there is no such
    /// event.
    func head(_ distance: Int) -> UInt8 {
        history[(past + EventCode.history - distance) % EventCode.history]
    }

    /// Returns the event that a first byte represents. The upper half of the byte must refer to a
    /// value slot, and the lower half to a delta slot or to the end of a ramp.
    func step(of head: UInt8, at position: StreamPosition) -> EventStep {
        EventStep(
            delta: delta(of: head & 0x0F, at: position), content: values.values[Int(head >> 4)])
    }

    /// Returns a bit mask of the operations whose slot contains an acceptable event.
    func operations(where isWanted: (StreamEvent.Content) -> Bool) -> UInt16 {
        var operations: UInt16 = 0
        for (slot, content) in values.values.enumerated() where isWanted(content) {
            operations |= 1 << slot
        }
        return operations
    }

    /// Returns a bit mask of the codes that currently represent the given delta.
    func deltaCodes(of delta: Ticks) -> UInt16 {
        var codes: UInt16 = 0
        for code in EventCode.zeroDelta...0x0F
        where code != EventCode.literalDelta && self.delta(of: code, at: position) == delta {
            codes |= 1 << code
        }
        return codes
    }

    /// Returns the number of ticks that the given code represents. The code must not require a
    /// literal.
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
    /// True if the event is stored in a value slot whenever it is read or written in full.
    var fillsSlot: Bool {
        switch self {
        case .tap, .level, .levelSharpness: true
        case .levelRamp(_, let duration), .sharpnessRamp(_, let duration):
            duration <= EventCode.slotTicksMax
        case .tapGain, .end: false
        }
    }
}
