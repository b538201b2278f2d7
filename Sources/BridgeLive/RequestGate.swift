// RequestGate: what is done with a request, decided from its head alone.

import NIOHTTP1

/// The rules for requests. A foreign page in the user's browser can send requests here too, and a
/// name that an attacker owns can be made to stand for 127.0.0.1: each rule answers one such attack.
struct RequestGate: Sendable {
    let port: Int
    let keys: PageKeys
    let fileNames: Set<String>

    /// The path at which pages open their WebSocket, with the key.
    static let socketPath = "/live"
    /// The file that is served at `/`.
    static let firstFile = "index.html"

    enum Verdict: Equatable {
        /// The file of this name is sent.
        case file(String)
        /// The token is right: the browser receives the cookie and the key, and is sent to the clean
        /// URL.
        case admission
        /// The browser has the cookie already, and is sent to the clean URL.
        case cleanURL
        /// A WebSocket may be opened.
        case socket
        case refusal(HTTPResponseStatus, String)
    }

    /// The URL that lets one browser in.
    var url: String { "http://127.0.0.1:\(port)/?token=\(keys.token)" }

    func verdict(on head: HTTPRequestHead) -> Verdict {
        if let refusal = refusal(of: head) { return refusal }
        let parts = head.uri.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts[0])
        let isKnown = head.headers["cookie"].contains { keys.isIn($0) }
        if parts.count == 2, parts[1].hasPrefix("token=") {
            guard path == "/", head.method == .GET else { return Self.notFound }
            if keys.spend(String(parts[1].dropFirst("token=".count))) { return .admission }
            return isKnown ? .cleanURL : Self.stranger
        }
        guard isKnown else { return Self.stranger }
        if path == Self.socketPath {
            return parts.count == 2 && keys.isKey(parts[1]) ? .socket : Self.stranger
        }
        let name = path == "/" ? Self.firstFile : String(path.dropFirst())
        return path.hasPrefix("/") && fileNames.contains(name) ? .file(name) : Self.notFound
    }

    private func refusal(of head: HTTPRequestHead) -> Verdict? {
        guard let host = head.headers["host"].only?.lowercased(),
            ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host)
        else {
            return .refusal(
                .forbidden, "This server answers to 127.0.0.1:\(port) and localhost:\(port) only.")
        }
        // Programs that are not browsers send no Origin; like browsers, they need the cookie.
        let origins = head.headers["origin"]
        guard origins.isEmpty || origins.only?.lowercased() == "http://\(host)" else {
            return .refusal(.forbidden, "Pages of other origins have no access.")
        }
        // Requests of these methods have no effect; all that has one goes through the WebSocket.
        guard head.method == .GET || head.method == .HEAD else {
            return .refusal(.methodNotAllowed, "Only GET and HEAD are possible here.")
        }
        return nil
    }

    /// The refusal of a browser that has not been let in.
    static let stranger = Verdict.refusal(
        .forbidden,
        "This browser has not been let in, or the address has been used already: each address lets one "
            + "browser in, once. The last address in the terminal in which bridge runs is a new one: "
            + "open that.")
    private static let notFound = Verdict.refusal(.notFound, "There is no such page.")
}

extension Array {
    /// The element of a list of one.
    fileprivate var only: Element? { count == 1 ? self[0] : nil }
}
