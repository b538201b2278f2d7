// QueryQueue: the queries that are pending, their tags and their repetition (SPEC 4.5).

/// The queries that are waiting to be sent or answered.
struct QueryQueue: Sendable {
    /// A query with the tags and times of its attempts.
    struct Pending: Sendable {
        /// The request to which the query belongs; nil if the session sent the query on its own.
        let request: RequestID?
        let query: Query
        var attempts: [Attempt] = []
    }

    struct Attempt: Sendable {
        let tag: UInt8
        let sentAt: HostTime
        /// The number of the latest departure before the attempt. An answer to the attempt proves
        /// that the device has read that departure.
        var departure: Int
        /// If the query is a CLOCK, the earliest time at which its last byte can have arrived.
        var arrival: HostTime
    }

    private var waiting: [Pending] = []
    private var unanswered: [Pending] = []
    private var lastTag: UInt8 = 0

    private static let attemptsMax = 20
    /// The maximum number of unanswered urgent messages and queries (SPEC 4.4).
    private static let unansweredMax = 3

    mutating func append(_ query: Query, request: RequestID?) {
        waiting.append(Pending(request: request, query: query))
    }

    /// Returns the request of an equal query that is waiting to be sent; nil if there is none.
    func waitingRequest(for query: Query) -> RequestID? {
        waiting.first { $0.query == query && $0.attempts.isEmpty && $0.request != nil }?.request
    }

    /// Returns whether a query of the given type is waiting to be sent or answered.
    func isPending(_ type: MessageType) -> Bool {
        (waiting + unanswered).contains { $0.query.type == type }
    }

    /// Returns the next query to send. The device stores only one answer of each type, so a second
    /// query of the same type must wait for the answer to the first.
    mutating func nextFrame(
        limit: Int, urgentCount: Int, departure: Int, at now: HostTime
    ) -> SendStep {
        guard unanswered.count + urgentCount < Self.unansweredMax,
            let index = waiting.firstIndex(where: { isFree($0.query.type) })
        else { return .nothing }
        let frame = Frame(.query(waiting[index].query), sequence: tagAfterLast)
        guard frame.wireSize <= limit else { return .tooLong }
        lastTag = frame.sequence
        var query = waiting.remove(at: index)
        query.attempts.append(
            Attempt(tag: lastTag, sentAt: now, departure: departure, arrival: now))
        unanswered.append(query)
        return .frame(frame)
    }

    /// Stores the earliest time at which the last CLOCK can have arrived, and the number of the
    /// latest departure before that CLOCK.
    mutating func recordClock(arrival: HostTime, departure: Int) {
        guard let query = unanswered.lastIndex(where: { $0.query.type == .clock }) else { return }
        let attempt = unanswered[query].attempts.count - 1
        unanswered[query].attempts[attempt].arrival = arrival
        unanswered[query].attempts[attempt].departure = departure
    }

    /// Removes the query that an answer with `tag` belongs to. Returns the query and the answered
    /// attempt.
    mutating func answered(_ type: MessageType, tag: UInt8) -> (query: Pending, attempt: Attempt)? {
        for (index, query) in unanswered.enumerated() where query.query.type == type {
            guard let attempt = query.attempts.first(where: { $0.tag == tag }) else { continue }
            return (unanswered.remove(at: index), attempt)
        }
        return nil
    }

    /// Moves the queries that have not been answered within `timeout` to the front of the queue, so
    /// that they are sent again. Removes and returns the queries that have used all their attempts.
    mutating func expire(timeout: Microseconds, at now: HostTime) -> [Pending] {
        let late = unanswered.filter { $0.expiry(timeout: timeout) <= now }
        unanswered.removeAll { $0.expiry(timeout: timeout) <= now }
        waiting.insert(contentsOf: late.filter { $0.attempts.count < Self.attemptsMax }, at: 0)
        return late.filter { $0.attempts.count >= Self.attemptsMax }
    }

    /// Returns the time at which the next query times out; nil if no query is unanswered.
    func deadline(timeout: Microseconds) -> HostTime? {
        unanswered.map { $0.expiry(timeout: timeout) }.min()
    }

    /// The tag of the next attempt. Tag 0 is skipped, because it marks messages that the device
    /// sends without a request.
    private var tagAfterLast: UInt8 { lastTag == .max ? 1 : lastTag + 1 }

    private func isFree(_ type: MessageType) -> Bool {
        !unanswered.contains { $0.query.type == type }
    }
}

extension QueryQueue.Pending {
    /// Returns the time at which the query is sent again. A late answer to a CLOCK is of little
    /// use, so another CLOCK is sent soon. If the late answer still arrives, it is accepted.
    fileprivate func expiry(timeout: Microseconds) -> HostTime {
        let patience = query == .clock ? min(timeout, .milliseconds(20)) : timeout
        return (attempts.last?.sentAt ?? 0) + patience
    }
}
