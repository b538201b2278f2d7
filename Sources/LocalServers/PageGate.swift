// PageGate: decides how the server of a page responds to requests.

import NIOHTTP1

/// The rules for requests to the server of a page that only the browser of the user may load.
struct PageGate: RequestGate {
    let port: Int
    let keys: PageKeys
    let fileNames: Set<String>

    /// The path at which a page that has the key opens its WebSocket.
    static let socketPath = "/live"
    /// The file that is served at `/`.
    static let firstFile = "index.html"

    /// The URL that authorizes one browser.
    var url: String { "http://127.0.0.1:\(port)/?token=\(keys.token)" }

    func verdict(on head: HTTPRequestHead) -> RequestVerdict {
        // Programs other than browsers do not send an Origin header, but also need the cookie.
        let refusal = head.refusal(at: port) { _ in Self.foreign }
        if let refusal { return refusal }
        let parts = head.uri.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts[0])
        let isKnown = head.headers["cookie"].contains { keys.isIn($0) }
        if parts.count == 2, parts[1].hasPrefix("token=") {
            guard path == "/", head.method == .GET else { return Self.notFound }
            if keys.spend(String(parts[1].dropFirst("token=".count))) { return admission }
            return isKnown ? .redirect(to: "/", cookie: nil) : unauthorized
        }
        guard isKnown else { return unauthorized }
        if path == Self.socketPath {
            return parts.count == 2 && keys.key.isIn(query: parts[1]) ? .socket : unauthorized
        }
        let name = path == "/" ? Self.firstFile : String(path.dropFirst())
        return path.hasPrefix("/") && fileNames.contains(name) ? .file(name) : Self.notFound
    }

    /// The response that redirects the browser after it has used the token.
    private var admission: RequestVerdict {
        // Browsers do not send the part of a URL after the # to the server.
        .redirect(
            to: "/#\(keys.key)",
            cookie: "\(keys.cookieName)=\(keys.cookie); HttpOnly; SameSite=Strict; Path=/")
    }

    /// The response to an unauthorized browser.
    private var unauthorized: RequestVerdict {
        .stranger(
            url,
            refusal: "This browser is not authorized, or the address has already been used. Each "
                + "address authorizes one browser, once. Open the latest address that bridge has "
                + "printed in the terminal.")
    }

    private static let foreign = RequestVerdict.refusal(
        .forbidden, "Pages of other origins have no access.")
    private static let notFound = RequestVerdict.refusal(.notFound, "There is no such page.")
}
