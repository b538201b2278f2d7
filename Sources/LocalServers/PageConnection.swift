// PageConnection: the connection to a page.

import NIOCore

/// A way to send messages to a page.
package protocol PageOutlet: Sendable {
    func send(_ text: String)
    func sendLatest(_ text: String, of kind: String)
    func close()
}

/// A connection to a page in the user's browser, through an open WebSocket. The methods may be
/// called from any thread. After the connection has ended, they have no effect.
public struct PageConnection: Sendable, Hashable {
    /// The number of the connection, which is unique within the server.
    public let id: Int
    let outlet: any PageOutlet

    package init(id: Int, outlet: any PageOutlet) {
        self.id = id
        self.outlet = outlet
    }

    /// Sends a message. Messages are received in the order in which they were sent.
    public func send(_ text: String) { outlet.send(text) }

    /// Sends a message that may be replaced by a later message of the same kind. If the page does
    /// not read fast enough, it receives only the latest message of each kind.
    public func sendLatest(_ text: String, of kind: String) { outlet.sendLatest(text, of: kind) }

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

    func close() { socket.eventLoop.execute { socket.value.close(.goingAway) } }
}
