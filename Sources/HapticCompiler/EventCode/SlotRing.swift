// SlotRing: the values that event code refers to by slot.

import CBridgeProtocol

/// Slots that are filled one after another. When all slots are full, the oldest value is
/// overwritten (SPEC 7).
struct SlotRing<Value: Equatable & Sendable>: Sendable {
    private(set) var values: [Value]
    private var next = 0

    init(_ values: [Value]) { self.values = values }

    /// Fills the next slot and returns its index.
    @discardableResult
    mutating func fill(with value: Value) -> UInt8 {
        let slot = next
        values[slot] = value
        next = slot + 1 < values.count ? slot + 1 : 0
        return UInt8(slot)
    }

    /// Returns the index of a slot that contains the value; nil if no slot contains it.
    func index(of value: Value) -> UInt8? { values.firstIndex(of: value).map { UInt8($0) } }
}
