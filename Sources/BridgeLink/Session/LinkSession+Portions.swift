// The number of event bytes in a message.

import CBridgeProtocol

extension LinkSession {
    /// Returns the maximum number of event bytes in a message with `fields` other bytes. A frame is
    /// always repeated unchanged, so it must be short enough to pass a bad line occasionally. On a
    /// line that is bad or whose quality is still unknown, frames are even shorter, because the
    /// frames after a lost frame are lost too.
    func portionMax(beside fields: Int) -> Int {
        let overhead = Int(BRIDGE_BODY_MIN) + fields
        let bodyMax = min(Int(welcome?.bodyMax ?? 0), Int(BRIDGE_BODY_MAX))
        return max(1, min(bodyMax - overhead, isLineBad || !window.isLineKnown ? 16 : 48))
    }
}
