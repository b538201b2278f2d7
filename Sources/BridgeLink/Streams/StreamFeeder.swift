// StreamFeeder: sends as many event bytes of one stream to the device as both credits allow (SPEC
// 4.4).

import CBridgeProtocol

/// Sends the event bytes of one stream in portions, each in an EVENTS message.
package struct StreamFeeder: Sendable {
    package let stream: UInt8
    /// The number of bytes in the event memory that are kept free.
    package let reserve: Int
    /// The generation to which the bytes belong.
    package var generation: UInt8 = 0
    /// The messages about the stream whose outcome is not known yet: EVENTS messages, and messages
    /// that the owner adds.
    package var pending: Set<RequestID> = []

    package init(stream: UInt8, reserve: Int = 0) {
        self.stream = stream
        self.reserve = reserve
    }

    /// Sends as many event bytes as both credits allow. Returns the number of bytes sent.
    ///
    /// - Parameter least: the minimum number of bytes in a frame, except for the last frame.
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

    /// Returns the maximum number of event bytes in a REVISE message.
    package static func reviseMax(over session: LinkSession) -> Int {
        session.portionMax(beside: Int(BRIDGE_REVISE_SIZE))
    }

    /// Returns the maximum number of event bytes in a REVISE message that is sent now and arrives
    /// by the given time. Returns a number below 1 if no such message can arrive by that time.
    package static func reviseMax(
        over session: LinkSession, arrivingBy time: HostTime, at now: HostTime
    ) -> Int {
        let late = max(0, session.arrivalOfFrame(at: now) - time)
        let fewer = session.bytesPerMillisecond.map { (Int(late) * $0 + 999) / 1_000 } ?? 0
        let longest = Int(BRIDGE_BODY_MAX - BRIDGE_BODY_MIN - BRIDGE_REVISE_SIZE)
        return min(reviseMax(over: session), longest - fewer)
    }

    /// Removes a message whose outcome has become known. Returns whether the message was pending.
    package mutating func settle(_ request: RequestID) -> Bool { pending.remove(request) != nil }
}
