// WebSocketService: admits pages to a served board.

import BoardSharing
import LocalServers
import ToolSupport

/// The secret in the address of the WebSocket.
typealias WebSocketKey = PageKey

/// A WebSocket that lets pages use the server's protocol.
final class WebSocketService {
    private let server: LocalSocketServer
    private let key: WebSocketKey

    /// The maximum length of a message in bytes, as in the other connections to the server.
    private static let messageMax = 1 << 16
    /// The answer to a longer message.
    private static let tooLarge =
        #"{"reason":"invalid message: it has more than \#(messageMax) bytes","type":"refused"}"#

    /// Starts to listen. Throws `ToolError`.
    init(
        _ options: WebSocketOptions, _ key: WebSocketKey, to listener: InternalListener,
        _ output: OutputOptions
    ) throws {
        self.key = key
        do {
            server = try LocalSocketServer(
                port: options.port, origins: Set(options.origins.map { $0.lowercased() }), key: key,
                messageMax: Self.messageMax, tooLarge: Self.tooLarge,
                onOpen: { page in
                    guard let descriptor = listener.connect() else { return page.close() }
                    page.join(descriptor)
                },
                onStranger: RefusedPages("--websocket-origin", output).report)
        } catch let error as PortRefusal {
            throw ToolError(error, of: "--websocket", at: options.port)
        }
    }

    /// The address at which pages connect.
    var address: String { "ws://127.0.0.1:\(server.port)/?key=\(key)" }
    var port: Int { server.port }

    /// Disconnects all pages.
    func end() { server.close() }
}
