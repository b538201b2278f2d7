// ProgramGate: decides how a server for programs of this computer responds to requests.

import NIOHTTP1

/// The rules for requests to a server that opens a WebSocket to programs of the user without a
/// secret. A page can open it only if the user has allowed its origin.
struct ProgramGate: RequestGate {
    let port: Int
    /// The origins of the allowed pages, in lower case.
    let origins: Set<String>

    func verdict(on head: HTTPRequestHead) -> RequestVerdict {
        head.refusal(at: port) { origin in
            origins.contains(origin.lowercased())
                ? nil : .stranger(origin, refusal: "The origin of this page is not allowed.")
        } ?? .socket
    }
}
