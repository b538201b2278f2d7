// LinkSession+Portions: the number of event bytes in a message.

import CBridgeProtocol

extension LinkSession {
    /// Returns the maximum number of event bytes in a message that has `fields` other bytes. A
    /// frame is always repeated unchanged, so it must be so short that a bad line transfers at
    /// least some copies of the frame without damage. If the line is bad, or if its quality is
    /// still unknown, frames are even shorter, because the loss of a frame also causes the loss of
    /// the frames after it.
    func portionMax(beside fields: Int) -> Int {
        let overhead = Int(BRIDGE_BODY_MIN) + fields
        let bodyMax = min(Int(welcome?.bodyMax ?? 0), Int(BRIDGE_BODY_MAX))
        return max(1, min(bodyMax - overhead, isLineBad || !window.isLineKnown ? 16 : 48))
    }
}
