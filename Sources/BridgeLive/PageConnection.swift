// PageConnection: a page that is connected.

import NIOCore

/// A page of the user's browser that has its WebSocket open. Its functions may be called from any
/// thread, and have no effect once the page has gone.
public struct PageConnection: Sendable, Hashable {
    /// A number that no other connection of the server has.
    public let id: Int
    let socket: NIOLoopBound<PageSocket>

    init(id: Int, socket: PageSocket, on loop: EventLoop) {
        self.id = id
        self.socket = NIOLoopBound(socket, eventLoop: loop)
    }

    /// Sends a message, after all that were sent before it.
    public func send(_ text: String) {
        socket.eventLoop.execute { socket.value.send(text) }
    }

    /// Sends a message that a later one of the same kind replaces: if the page does not read fast
    /// enough, it receives the newest only.
    public func sendLatest(_ text: String, of kind: String) {
        socket.eventLoop.execute { socket.value.sendLatest(text, of: kind) }
    }

    /// Ends the connection.
    public func close() {
        socket.eventLoop.execute { socket.value.close(.goingAway) }
    }

    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
