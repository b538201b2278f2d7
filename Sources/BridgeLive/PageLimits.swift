// PageLimits: what a server bears from its connections.

import NIOCore

/// The limits of a server.
struct PageLimits: Sendable {
    /// The largest message, in bytes. The largest AHAP file seen has 2.5 MB.
    var message = 8 << 20
    /// The most fragments of a message.
    var fragments = 1 << 17
    /// The most bytes that wait for a page that does not read.
    var backlog = 32 << 20
    /// The most connections.
    var connections = 16
    /// The largest head of a request, in bytes.
    var head = 16 << 10
    /// The time in which a connection must have sent a request that is admitted, and the next one,
    /// unless it is a WebSocket by then.
    var patience = TimeAmount.seconds(10)
}
