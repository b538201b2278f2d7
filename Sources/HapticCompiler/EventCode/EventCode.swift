// EventCode: Swift names for the constants of the event code. The values are from the protocol
// header.

import CBridgeProtocol

/// The constants for operations, specials and deltas (SPEC 7).
enum EventCode {
    static let levelSharpnessRound = UInt8(BRIDGE_OP_LEVEL_SHARPNESS_ROUND.rawValue)
    static let tap = UInt8(BRIDGE_OP_TAP.rawValue)
    static let tapRound = UInt8(BRIDGE_OP_TAP_ROUND.rawValue)
    static let level = UInt8(BRIDGE_OP_LEVEL.rawValue)
    static let levelSharpness = UInt8(BRIDGE_OP_LEVEL_SHARPNESS.rawValue)
    static let levelRamp = UInt8(BRIDGE_OP_LEVEL_RAMP.rawValue)
    static let sharpnessRamp = UInt8(BRIDGE_OP_SHARPNESS_RAMP.rawValue)
    static let special = UInt8(BRIDGE_OP_SPECIAL.rawValue)

    static let end = UInt8(BRIDGE_SPECIAL_END.rawValue)
    static let tapGain = UInt8(BRIDGE_SPECIAL_TAP_GAIN.rawValue)
    static let wait = UInt8(BRIDGE_SPECIAL_WAIT.rawValue)

    static let endAtLevelEnd = UInt8(BRIDGE_HEAD_END_AT_LEVEL_END.rawValue)
    static let endLiteral = UInt8(BRIDGE_HEAD_END_LITERAL.rawValue)
    static let copy = UInt8(BRIDGE_HEAD_COPY.rawValue)

    static let zeroDelta = UInt8(BRIDGE_DELTA_ZERO.rawValue)
    static let literalDelta = UInt8(BRIDGE_DELTA_LITERAL.rawValue)
    static let levelEndDelta = UInt8(BRIDGE_DELTA_LEVEL_END.rawValue)
    static let sharpnessEndDelta = UInt8(BRIDGE_DELTA_SHARPNESS_END.rawValue)
    static let firstSlotDelta = UInt8(BRIDGE_DELTA_SLOT.rawValue)

    static let valueSlots = Int(BRIDGE_VALUE_SLOTS)
    static let deltaSlots = Int(BRIDGE_DELTA_SLOTS)
    /// The maximum distance, in events, between a copy and the first event that it repeats.
    static let history = Int(BRIDGE_HISTORY)
    /// The minimum and maximum number of events in a copy.
    static let copyLengths = Int(BRIDGE_COPY_MIN)...Int(BRIDGE_COPY_MAX)
    /// The number of first bytes that represent a copy.
    static let copyHeads = 0x100 - Int(BRIDGE_HEAD_COPY.rawValue)

    /// The maximum length of a literal, in bytes.
    static let literalBytesMax = 3
    /// The maximum time that a slot can store, in ticks.
    static let slotTicksMax = 65_535

    /// The round values: the 16 values that half a byte can represent.
    static let roundValues = (0..<16).map { bridge_round_value(UInt8($0)) }
    /// The half byte that represents each of the 256 values; nil if the value is not round.
    private static let nibbles = (0...255).map { value in
        roundValues.firstIndex(of: UInt8(value)).map { UInt8($0) }
    }
    private static let nearest = (0...255).map { value in
        roundValues.min { abs(Int($0) - value) < abs(Int($1) - value) } ?? 0
    }

    /// Returns a byte that represents two round values; nil if one of the values is not round.
    static func roundByte(_ first: UInt8, _ second: UInt8) -> UInt8? {
        guard let high = nibbles[Int(first)], let low = nibbles[Int(second)] else { return nil }
        return high << 4 | low
    }

    /// Returns the round value nearest to another value.
    static func nearestRound(to value: UInt8) -> UInt8 { nearest[Int(value)] }

    /// Returns a literal: seven bits per byte, starting with the least significant bits. Bit 7 is
    /// set in every byte except the last.
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

    /// Returns the length of a literal in bytes.
    static func literalLength(_ ticks: Ticks) -> Int {
        ticks < 1 << 7 ? 1 : ticks < 1 << 14 ? 2 : 3
    }
}
