// The findings of the referees on a line to the image, which record the arrival of each byte.

import TestSupport

/// The counts of a run, and the violations that occurred.
struct LineReport: Sendable {
    /// The number of queries that arrived intact and required an answer.
    var queries = 0
    /// The number of invalid frames from the board on a line that damages nothing.
    var damaged = 0
    /// The number of unanswered queries, except those replaced by a newer query of the same type.
    var unanswered = 0
    /// The number of arrival times reported by the board.
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
