// LinkStatistics: the counts of the bytes and frames of a session.

/// The counts of the bytes and frames of a session.
public struct LinkStatistics: Hashable, Sendable, Codable {
    /// The number of bytes that were sent.
    public var bytesSent = 0
    /// The number of bytes that were received.
    public var bytesReceived = 0
    /// The number of undamaged frames that were received.
    public var framesReceived = 0
    /// The number of damaged frames that were received.
    public var damagedFrames = 0
    /// The number of times the session sent frames again because the device had missed one.
    public var resendsAsked = 0
    /// The number of times the session sent frames again because it received no answer.
    public var timeouts = 0
    /// The smoothed round-trip time in microseconds; nil before the first measurement.
    public var roundTrip: Microseconds?

    /// Creates the counts of a new session.
    public init() {}
}
