// The numbers of the event code under Swift names. Their values are the protocol header's.

internal import CBridgeProtocol

/// The operations, specials and deltas of SPEC 7.
enum EventCode {
    static let tap = UInt8(BRIDGE_OP_TAP.rawValue)
    static let tapDifference = UInt8(BRIDGE_OP_TAP_DIFFERENCE.rawValue)
    static let level = UInt8(BRIDGE_OP_LEVEL.rawValue)
    static let levelSharpness = UInt8(BRIDGE_OP_LEVEL_SHARPNESS.rawValue)
    static let levelRamp = UInt8(BRIDGE_OP_LEVEL_RAMP.rawValue)
    static let sharpnessRamp = UInt8(BRIDGE_OP_SHARPNESS_RAMP.rawValue)
    static let special = UInt8(BRIDGE_OP_SPECIAL.rawValue)

    static let end = UInt8(BRIDGE_SPECIAL_END.rawValue)
    static let run = UInt8(BRIDGE_SPECIAL_RUN.rawValue)
    static let tapGain = UInt8(BRIDGE_SPECIAL_TAP_GAIN.rawValue)
    static let wait = UInt8(BRIDGE_SPECIAL_WAIT.rawValue)

    static let zeroDelta = UInt8(BRIDGE_DELTA_ZERO.rawValue)
    static let literalDelta = UInt8(BRIDGE_DELTA_LITERAL.rawValue)
    static let levelEndDelta = UInt8(BRIDGE_DELTA_LEVEL_END.rawValue)
    static let sharpnessEndDelta = UInt8(BRIDGE_DELTA_SHARPNESS_END.rawValue)
    static let firstSlotDelta = UInt8(BRIDGE_DELTA_SLOT.rawValue)

    static let valueSlots = Int(BRIDGE_VALUE_SLOTS)
    static let deltaSlots = Int(BRIDGE_DELTA_SLOTS)
    static let runEventsMax = Int(BRIDGE_RUN_EVENTS_MAX)
    static let runCountMax = Int(BRIDGE_RUN_COUNT_MAX)
    /// The longest literal, in bytes.
    static let literalBytesMax = 3
    /// The longest time that enters a slot, in ticks.
    static let slotTicksMax = 65_535
}

/// Slots that are filled in turn and start over after the last (SPEC 7).
struct SlotRing<Value: Equatable & Sendable>: Sendable {
    private(set) var values: [Value]
    private var next = 0

    init(_ value: Value, count: Int) { values = Array(repeating: value, count: count) }

    mutating func fill(with value: Value) {
        values[next] = value
        next = (next + 1) % values.count
    }

    /// The index of a slot that holds the value.
    func index(of value: Value) -> UInt8? { values.firstIndex(of: value).map(UInt8.init) }
}
