// RequestGate: uses the head of a request to decide how to respond.

import NIOHTTP1

/// The rules for requests. Any page in the user's browser can send requests to the server, and an
/// attacker can make a host name resolve to 127.0.0.1. Each rule prevents one kind of such attacks.
struct RequestGate: Sendable {
    let port: Int
    let keys: PageKeys
    let fileNames: Set<String>

    /// The path at which a page that has the key opens its WebSocket.
    static let socketPath = "/live"
    /// The file that is served at `/`.
    static let firstFile = "index.html"

    enum Verdict: Equatable {
        /// Send the file with the given name.
        case file(String)
        /// The token is valid. Send the cookie and the key, and redirect the browser to the URL
        /// without the token.
        case admission
        /// The browser already has the cookie. Redirect it to the URL without the token.
        case cleanURL
        /// Open a WebSocket.
        case socket
        case refusal(HTTPResponseStatus, String)
    }

    /// The URL that authorizes one browser.
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
            return isKnown ? .cleanURL : Self.unauthorized
        }
        guard isKnown else { return Self.unauthorized }
        if path == Self.socketPath {
            return parts.count == 2 && keys.isKey(parts[1]) ? .socket : Self.unauthorized
        }
        let name = path == "/" ? Self.firstFile : String(path.dropFirst())
        return path.hasPrefix("/") && fileNames.contains(name) ? .file(name) : Self.notFound
    }

    private func refusal(of head: HTTPRequestHead) -> Verdict? {
        guard let host = head.headers["host"].only?.lowercased(),
            ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host)
        else {
            return .refusal(
                .forbidden,
                "This server responds only to requests for 127.0.0.1:\(port) and localhost:\(port)."
            )
        }
        // Programs other than browsers do not send an Origin header. They need the cookie too.
        let origins = head.headers["origin"]
        guard origins.isEmpty || origins.only?.lowercased() == "http://\(host)" else {
            return .refusal(.forbidden, "Pages of other origins have no access.")
        }
        // Requests with these methods have no effect. All changes are made through the WebSocket.
        guard head.method == .GET || head.method == .HEAD else {
            return .refusal(.methodNotAllowed, "Only the methods GET and HEAD are allowed.")
        }
        return nil
    }

    /// The response to an unauthorized browser.
    static let unauthorized = Verdict.refusal(
        .forbidden,
        "This browser is not authorized, or the address has already been used. Each address authorizes one "
            + "browser, once. Open the latest address that bridge has printed in the terminal.")
    private static let notFound = Verdict.refusal(.notFound, "There is no such page.")
}

extension Array {
    /// The only element of an array; nil if the array does not contain exactly one element.
    fileprivate var only: Element? { count == 1 ? self[0] : nil }
}
