// PageConnection: the connection to a page.

import NIOCore

/// A way to send messages to a page.
package protocol PageOutlet: Sendable {
    func send(_ text: String)
    func sendLatest(_ text: String, of kind: String)
    func join(_ descriptor: Int32)
    func close()
}

/// A connection to a page in the user's browser, through an open WebSocket. The methods may be
/// called from any thread, and have no effect after the connection has ended.
public struct PageConnection: Sendable, Hashable {
    /// The number of the connection, which is unique within the server.
    public let id: Int
    let outlet: any PageOutlet

    package init(id: Int, outlet: any PageOutlet) {
        self.id = id
        self.outlet = outlet
    }

    /// Sends a message. The page receives messages in the order in which they were sent.
    public func send(_ text: String) { outlet.send(text) }

    /// Sends a message that may be replaced by a later message of the same kind. If the page does
    /// not read fast enough, it receives only the latest message of each kind.
    public func sendLatest(_ text: String, of kind: String) { outlet.sendLatest(text, of: kind) }

    /// Transfers all further messages from the page to a stream socket, and the messages from that
    /// socket to the page. In the stream, each message follows its length in four bytes, most
    /// significant byte first. When either the connection or the socket is closed, the other is
    /// also closed.
    ///
    /// Call this method when the page has opened its WebSocket. The server then does not call
    /// `onMessage` and `onClose` for this page.
    ///
    /// - Parameter descriptor: a connected non-blocking socket, which the connection owns from now on.
    public func join(_ descriptor: Int32) { outlet.join(descriptor) }

    /// Closes the connection.
    public func close() { outlet.close() }

    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// An outlet that sends messages through the WebSocket of a page, on the thread of the WebSocket's
/// event loop.
struct LoopOutlet: PageOutlet {
    let socket: NIOLoopBound<PageSocket>

    func send(_ text: String) { socket.eventLoop.execute { socket.value.send(text) } }

    func sendLatest(_ text: String, of kind: String) {
        socket.eventLoop.execute { socket.value.sendLatest(text, of: kind) }
    }

    func join(_ descriptor: Int32) {
        if socket.eventLoop.inEventLoop { return socket.value.join(descriptor) }
        socket.eventLoop.execute { socket.value.join(descriptor) }
    }

    func close() { socket.eventLoop.execute { socket.value.close(.goingAway) } }
}
