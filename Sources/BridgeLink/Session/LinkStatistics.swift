// LinkStatistics: what happened to the frames of a session.

/// The counts of the bytes and frames of a session.
public struct LinkStatistics: Hashable, Sendable, Codable {
    /// The number of bytes that were sent.
    public var bytesSent = 0
    /// The number of bytes that were received.
    public var bytesReceived = 0
    /// The number of frames that were received undamaged.
    public var framesReceived = 0
    /// The number of frames from the device that arrived damaged.
    public var damagedFrames = 0
    /// The number of times that the session went back because the device had missed a frame.
    public var resendsAsked = 0
    /// The number of times that the session went back because no answer came.
    public var timeouts = 0
    /// The smoothed round-trip time in microseconds; nil before one was measured.
    public var roundTrip: Microseconds?

    /// Creates counts of a session that has not begun.
    public init() {}
}
