// What was found on a line to the image, by those who know when each byte had arrived.

import TestSupport

/// Counts of a run, and what broke a promise.
public struct LineReport: Sendable {
    /// Queries that arrived whole and were owed an answer.
    public var queries = 0
    /// Frames of the board that are none, though its line damages nothing.
    public var damaged = 0
    /// Queries without an answer, but those that a newer one of their type replaced.
    public var unanswered = 0
    /// Times of arrival that the board told.
    public var stamps = 0
    /// How far the worst of them was off, in microseconds.
    public var worstStamp = 0
    public private(set) var complaints: [String] = []

    public init() {}

    private static let complaintsMax = 20

    mutating func complain(_ cycle: Cycle, _ what: String) {
        guard complaints.count < Self.complaintsMax else { return }
        complaints.append("cycle \(cycle): \(what)")
    }

    /// Takes in what another run found.
    public mutating func add(_ other: LineReport) {
        queries += other.queries
        damaged += other.damaged
        unanswered += other.unanswered
        stamps += other.stamps
        worstStamp = max(worstStamp, other.worstStamp)
        complaints += other.complaints.prefix(max(0, Self.complaintsMax - complaints.count))
    }
}
