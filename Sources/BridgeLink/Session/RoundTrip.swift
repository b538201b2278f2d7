// RoundTrip: the time that answers take, and the time-out that follows from it (as in RFC 6298).

/// The smoothed round-trip time and the time-out that follows from it, both in microseconds.
struct RoundTrip: Sendable {
    private(set) var smoothed: Microseconds?
    private var variation: Microseconds = 0
    private var doublings = 0

    private static let timeoutAtFirst: Microseconds = .milliseconds(200)
    /// The range of the time-out. The device reads even a full buffer in less than its lower bound.
    private static let timeoutRange: ClosedRange<Microseconds> =
        Departures.readingTime...500_000

    /// Adds a round trip that no repetition makes ambiguous.
    mutating func add(_ sample: Microseconds) {
        guard let before = smoothed else {
            smoothed = sample
            variation = sample / 2
            return
        }
        variation += (abs(sample - before) - variation) / 4
        smoothed = before + (sample - before) / 8
    }

    /// Notes that a time-out has passed without an answer. The next one is twice as long but not
    /// longer, because a line between two parties is disturbed but never congested.
    mutating func doubleTimeout() { doublings = min(doublings + 1, 1) }

    /// Notes that something new was acknowledged.
    mutating func noteProgress() { doublings = 0 }

    /// The time to wait for an answer before sending again.
    var timeout: Microseconds {
        guard let smoothed else { return Self.timeoutAtFirst << doublings }
        let range = Self.timeoutRange
        let single = max(smoothed + 4 * variation, range.lowerBound)
        return min(single << doublings, range.upperBound)
    }

    /// The time within which a second complaint about a gap is the echo of the first.
    var echoTime: Microseconds { smoothed ?? Self.timeoutAtFirst / 2 }
}
