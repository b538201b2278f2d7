// The number of event bytes that go into a message.

import CBridgeProtocol

extension LinkSession {
    /// The most event bytes for one message that has `fields` bytes beside them. A frame is sent again
    /// as it was, so none is longer than a bad line lets through now and then; on a line that is not
    /// known yet, or known to be bad, they are short, as what is lost takes what follows with it.
    func portionMax(beside fields: Int) -> Int {
        let overhead = Int(BRIDGE_BODY_MIN) + fields
        let bodyMax = min(Int(welcome?.bodyMax ?? 0), Int(BRIDGE_BODY_MAX))
        return max(1, min(bodyMax - overhead, isLineBad || !window.isLineKnown ? 16 : 48))
    }
}
