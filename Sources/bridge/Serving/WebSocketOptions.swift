// WebSocketOptions: the options for pages that play on a served board.

import ArgumentParser

struct WebSocketOptions: ParsableArguments {
    @Option(
        name: .customLong("websocket"), defaultAsFlag: "7601",
        help: ArgumentHelp(
            "Accept pages in the user's browser (WebSocket) at a port; the default is 7601.",
            discussion: """
                A page needs the printed address, which contains a key, and its origin must be \
                allowed with --websocket-origin. Pages can play, query and stop. Port 0 selects a \
                free port.
                """,
            valueName: "port"))
    var webSocket: String?

    @Option(
        name: .customLong("websocket-origin"),
        help: ArgumentHelp(
            "The origin of a page that may connect, such as http://localhost:8080.",
            discussion: "This option can be repeated. Pages of all other origins are refused.",
            valueName: "origin"))
    var origins: [String] = []

    /// The TCP port, which `validate` has checked.
    var port: Int { parsedPort ?? 0 }

    private var parsedPort: Int? { webSocket.flatMap { UInt16($0) }.map { Int($0) } }

    func validate() throws {
        guard webSocket == nil || parsedPort != nil else {
            throw ValidationError(
                "--websocket \(webSocket ?? ""): expected a port from 0 to 65535.")
        }
        try origins.validate(
            asOriginsOf: "--websocket-origin", with: "--websocket", isOpen: webSocket != nil)
    }
}
