// RequestID: identifies a request, so that answers can be matched with requests.

/// The identity of a request in a session: a command, an urgent message or a query.
public struct RequestID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number of the request in its session, starting at 1.
    public let number: UInt64

    public static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
    public var description: String { "#\(number)" }
}
