// PageConnection: a page that is connected.

import NIOCore

/// The end of a connection to which the messages for a page go.
package protocol PageOutlet: Sendable {
    func send(_ text: String)
    func sendLatest(_ text: String, of kind: String)
    func close()
}

/// A page of the user's browser that has its WebSocket open. Its functions may be called from any
/// thread, and have no effect once the page has gone.
public struct PageConnection: Sendable, Hashable {
    /// A number that no other connection of the server has.
    public let id: Int
    let outlet: any PageOutlet

    package init(id: Int, outlet: any PageOutlet) {
        self.id = id
        self.outlet = outlet
    }

    /// Sends a message, after all that were sent before it.
    public func send(_ text: String) { outlet.send(text) }

    /// Sends a message that a later one of the same kind replaces: if the page does not read fast
    /// enough, it receives the newest only.
    public func sendLatest(_ text: String, of kind: String) { outlet.sendLatest(text, of: kind) }

    /// Ends the connection.
    public func close() { outlet.close() }

    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The WebSocket of a page, which belongs to the thread of an event loop.
struct LoopOutlet: PageOutlet {
    let socket: NIOLoopBound<PageSocket>

    func send(_ text: String) { socket.eventLoop.execute { socket.value.send(text) } }

    func sendLatest(_ text: String, of kind: String) {
        socket.eventLoop.execute { socket.value.sendLatest(text, of: kind) }
    }

    func close() { socket.eventLoop.execute { socket.value.close(.goingAway) } }
}
