// RequestID: matches the answers in a session to its requests.

/// The name of one request of a session: a command, an urgent message or a query.
public struct RequestID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number of the request in its session, counted from 1.
    public let number: UInt64

    public static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
    public var description: String { "#\(number)" }
}
