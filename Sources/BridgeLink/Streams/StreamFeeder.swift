// StreamFeeder: the event bytes of one stream on their way to the device, as far as both credits reach
// (SPEC 4.4).

import CBridgeProtocol

/// Hands the event bytes of one stream over in portions, each in an EVENTS of its own.
package struct StreamFeeder: Sendable {
    package let stream: UInt8
    /// Event memory that is left free.
    package let reserve: Int
    /// The generation that the bytes are of.
    package var generation: UInt8 = 0
    /// Messages about the stream whose outcome is not known: EVENTS, and what its owner adds.
    package var pending: Set<RequestID> = []

    package init(stream: UInt8, reserve: Int = 0) {
        self.stream = stream
        self.reserve = reserve
    }

    /// Sends as many bytes as both credits reach, and returns how many.
    ///
    /// - Parameter least: the smallest portion that is worth a frame, unless it is the last.
    package mutating func feed(
        _ bytes: ArraySlice<UInt8>, inPortionsOf least: Int = 1, over session: inout LinkSession
    ) -> Int {
        var rest = bytes
        while session.isWindowClear {
            let credit = session.eventCredit(stream: stream, generation: generation) - reserve
            let count = min(
                rest.count, credit, session.portionMax(beside: Int(BRIDGE_EVENTS_SIZE)))
            guard count > 0, count >= least || count == rest.count else { break }
            let portion = Array(rest.prefix(count))
            pending.insert(
                session.send(
                    .events(Events(stream: stream, generation: generation, bytes: portion))))
            rest = rest.dropFirst(count)
        }
        return bytes.count - rest.count
    }

    /// The most event bytes for one REVISE.
    package static func reviseMax(over session: LinkSession) -> Int {
        session.portionMax(beside: Int(BRIDGE_REVISE_SIZE))
    }

    /// The most event bytes for one REVISE that is sent now and arrives by a time; below 1 if there are none.
    package static func reviseMax(
        over session: LinkSession, arrivingBy time: HostTime, at now: HostTime
    ) -> Int {
        let late = max(0, session.arrivalOfFrame(at: now) - time)
        let fewer = session.bytesPerMillisecond.map { (Int(late) * $0 + 999) / 1_000 } ?? 0
        let longest = Int(BRIDGE_BODY_MAX - BRIDGE_BODY_MIN - BRIDGE_REVISE_SIZE)
        return min(reviseMax(over: session), longest - fewer)
    }

    /// Takes the outcome of a message. Returns whether the message was pending.
    package mutating func settle(_ request: RequestID) -> Bool { pending.remove(request) != nil }
}
