// QueryQueue: questions, their tags, and their repetition (SPEC 4.5).

/// Queries that wait to be sent or answered.
struct QueryQueue: Sendable {
    /// A query with the tags and times of its attempts.
    struct Pending: Sendable {
        /// nil: the session asks for itself.
        let request: RequestID?
        let query: Query
        var attempts: [Attempt] = []
    }

    struct Attempt: Sendable {
        let tag: UInt8
        let sentAt: Microseconds
        /// The newest departure before it: its answer proves that read.
        var departure: Int
        /// When its last byte can first have arrived, of a CLOCK.
        var arrival: Microseconds
    }

    private var waiting: [Pending] = []
    private var unanswered: [Pending] = []
    private var lastTag: UInt8 = 0

    private static let attemptsMax = 20
    /// Urgent messages and queries that may be unanswered at a time (SPEC 4.4).
    private static let unansweredMax = 3

    mutating func append(_ query: Query, request: RequestID?) {
        waiting.append(Pending(request: request, query: query))
    }

    /// Whether a query of this type is under way.
    func isPending(_ type: MessageType) -> Bool {
        (waiting + unanswered).contains { $0.query.type == type }
    }

    /// The next query to put on the wire. The device keeps one answer of each type, so a second
    /// query of a type waits for the answer to the first.
    mutating func nextFrame(
        limit: Int, urgentCount: Int, departure: Int, at now: Microseconds
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

    /// Takes the earliest time at which the CLOCK that left last can have arrived, and the number of the
    /// newest departure before it.
    mutating func noteClock(arrival: Microseconds, departure: Int) {
        guard let query = unanswered.lastIndex(where: { $0.query.type == .clock }) else { return }
        let attempt = unanswered[query].attempts.count - 1
        unanswered[query].attempts[attempt].arrival = arrival
        unanswered[query].attempts[attempt].departure = departure
    }

    /// The query and the attempt of it that an answer with `tag` belongs to.
    mutating func answered(_ type: MessageType, tag: UInt8) -> (query: Pending, attempt: Attempt)? {
        for (index, query) in unanswered.enumerated() where query.query.type == type {
            guard let attempt = query.attempts.first(where: { $0.tag == tag }) else { continue }
            return (unanswered.remove(at: index), attempt)
        }
        return nil
    }

    /// Moves queries without an answer for `timeout` to the front of the line. Returns those that
    /// are given up.
    mutating func expire(timeout: Microseconds, at now: Microseconds) -> [Pending] {
        let late = unanswered.filter { $0.expiry(timeout: timeout) <= now }
        unanswered.removeAll { $0.expiry(timeout: timeout) <= now }
        waiting.insert(contentsOf: late.filter { $0.attempts.count < Self.attemptsMax }, at: 0)
        return late.filter { $0.attempts.count >= Self.attemptsMax }
    }

    /// When the next query expires.
    func deadline(timeout: Microseconds) -> Microseconds? {
        unanswered.map { $0.expiry(timeout: timeout) }.min()
    }

    /// Tag 0 is for what the device sends unasked.
    private var tagAfterLast: UInt8 { lastTag == .max ? 1 : lastTag + 1 }

    private func isFree(_ type: MessageType) -> Bool {
        !unanswered.contains { $0.query.type == type }
    }
}

extension QueryQueue.Pending {
    /// A CLOCK says least when it is old: another one is soon asked, which the answer to the first
    /// does not mind.
    fileprivate func expiry(timeout: Microseconds) -> Microseconds {
        let patience = query == .clock ? min(timeout, .milliseconds(20)) : timeout
        return (attempts.last?.sentAt ?? 0) + patience
    }
}
