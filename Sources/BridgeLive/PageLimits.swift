// PageLimits: the limits of a server for its connections.

import NIOCore

/// The limits of a server.
struct PageLimits: Sendable {
    /// The maximum size of a message, in bytes. The largest known AHAP file has 2.5 MB.
    var message = 8 << 20
    /// The maximum number of fragments of a message.
    var fragments = 1 << 17
    /// The maximum number of bytes that are queued for a page that does not read.
    var backlog = 32 << 20
    /// The maximum number of connections.
    var connections = 16
    /// The maximum size of the head of a request, in bytes.
    var head = 16 << 10
    /// The timeout for the first admitted request of a connection, and for each following one. It
    /// does not apply to a WebSocket.
    var patience = TimeAmount.seconds(10)
}
