// RequestID: how the answers of a session are matched to what was asked of it.

/// Names one request of a session: a command, an urgent message or a query.
public struct RequestID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Counts the requests of a session from 1.
    public let number: UInt64

    public static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
    public var description: String { "#\(number)" }
}
