// PageLimits: the limits that a server applies to its connections.

import NIOCore

/// The limits that a server applies to its connections.
struct PageLimits: Sendable {
    /// The maximum size of a message, in bytes. The size of the largest known AHAP file is 2.5 MB.
    var message = 8 << 20
    /// The text that is sent to a client before its connection is closed because a message exceeds
    /// ``message``; nil to send no text.
    var tooLarge: String?
    /// The maximum number of fragments of a message.
    var fragments = 1 << 17
    /// The maximum number of bytes that are queued for a page that does not read them.
    var backlog = 32 << 20
    /// The maximum number of connections.
    var connections = 16
    /// The maximum size of a request's head, in bytes.
    var head = 16 << 10
    /// The maximum time until a connection sends its first admitted request, and between later
    /// requests. The limit does not apply to a WebSocket.
    var patience = TimeAmount.seconds(10)
}
