// The findings on a line to the image, by referees that know when each byte arrived.

import TestSupport

/// The counts of a run, and the promises that were broken.
struct LineReport: Sendable {
    /// The number of queries that arrived intact and were owed an answer.
    var queries = 0
    /// The number of invalid frames from the board, though its line damages nothing.
    var damaged = 0
    /// The number of queries without an answer, not counting those that a newer query of the same
    /// type replaced.
    var unanswered = 0
    /// The number of arrival times that the board reported.
    var stamps = 0
    /// The largest error of a reported time, in microseconds.
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
