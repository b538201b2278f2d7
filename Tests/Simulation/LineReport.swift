// LineReport: the findings of a referee that records the arrival of each byte on a line to an
// image.

import TestSupport

/// The counts of a run, and the violations that occurred.
struct LineReport: Sendable {
    /// The number of queries that were received intact and required an answer.
    var queries = 0
    /// The number of invalid frames that the board sent, although the line damages no bytes.
    var damaged = 0
    /// The number of unanswered queries, except for queries that a newer query of the same type has
    /// replaced.
    var unanswered = 0
    /// The number of arrival times that the board has reported.
    var stamps = 0
    /// The maximum error of a reported time, in microseconds.
    var worstStamp = 0
    private(set) var complaints: [String] = []

    init() {}

    private static let complaintsMax = 20

    mutating func complain(_ cycle: Cycle, _ what: String) {
        guard complaints.count < Self.complaintsMax else { return }
        complaints.append("cycle \(cycle): \(what)")
    }

    /// Adds the findings of another run.
    mutating func add(_ other: LineReport) {
        queries += other.queries
        damaged += other.damaged
        unanswered += other.unanswered
        stamps += other.stamps
        worstStamp = max(worstStamp, other.worstStamp)
        complaints += other.complaints.prefix(max(0, Self.complaintsMax - complaints.count))
    }
}
