// RoundTrip: the round-trip time of messages and the timeout that is computed from it (as in RFC
// 6298).

/// The smoothed round-trip time and the timeout that is computed from it, both in microseconds.
struct RoundTrip: Sendable {
    private(set) var smoothed: Microseconds?
    private var variation: Microseconds = 0
    private var doublings = 0

    private static let timeoutAtFirst: Microseconds = .milliseconds(200)
    /// The range of the timeout. The lower bound exceeds the time that the device takes to read a
    /// full buffer.
    private static let timeoutRange: ClosedRange<Microseconds> =
        Departures.readingTime...500_000

    /// Adds a measured round trip. The message must have been sent only once.
    mutating func add(_ sample: Microseconds) {
        guard let before = smoothed else {
            smoothed = sample
            variation = sample / 2
            return
        }
        variation += (abs(sample - before) - variation) / 4
        smoothed = before + (sample - before) / 8
    }

    /// Records that no answer arrived before the timeout. The timeout is doubled at most once,
    /// because a line between only two parties may be disturbed, but is never congested.
    mutating func doubleTimeout() { doublings = min(doublings + 1, 1) }

    /// Records that a new frame was acknowledged.
    mutating func recordProgress() { doublings = 0 }

    /// The time for which to wait for an answer before a frame is sent again.
    var timeout: Microseconds {
        guard let smoothed else { return Self.timeoutAtFirst << doublings }
        let range = Self.timeoutRange
        let single = max(smoothed + 4 * variation, range.lowerBound)
        return min(single << doublings, range.upperBound)
    }

    /// The maximum time after a report of a gap in which a second report is assumed to refer to the
    /// same gap.
    var echoTime: Microseconds { smoothed ?? Self.timeoutAtFirst / 2 }
}
