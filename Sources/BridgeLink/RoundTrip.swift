// RoundTrip: how long answers take, and from that how long to wait for one (as in RFC 6298).

/// Smoothed round trip and the time-out that follows from it. All in microseconds.
struct RoundTrip: Sendable {
    private(set) var smoothed: Microseconds?
    private var variation: Microseconds = 0
    private var doublings = 0

    private static let timeoutAtFirst: Microseconds = .milliseconds(200)
    /// A full buffer of the device is read sooner.
    private static let timeoutRange: ClosedRange<Microseconds> =
        Departures.readingTime...500_000

    /// Takes a round trip that no repetition makes ambiguous.
    mutating func add(_ sample: Microseconds) {
        guard let before = smoothed else {
            smoothed = sample
            variation = sample / 2
            return
        }
        variation += (abs(sample - before) - variation) / 4
        smoothed = before + (sample - before) / 8
    }

    /// A time-out passed without an answer: wait twice as long for the next, but not much longer, as
    /// a line between two is disturbed, never congested.
    mutating func doubleTimeout() { doublings = min(doublings + 1, 1) }

    /// Something new was acknowledged.
    mutating func noteProgress() { doublings = 0 }

    /// How long to wait for an answer before sending again.
    var timeout: Microseconds {
        guard let smoothed else { return Self.timeoutAtFirst << doublings }
        let range = Self.timeoutRange
        let single = max(smoothed + 4 * variation, range.lowerBound)
        return min(single << doublings, range.upperBound)
    }

    /// Within this time, a second complaint about one gap is the echo of the first.
    var echoTime: Microseconds { smoothed ?? Self.timeoutAtFirst / 2 }
}
