// RequestGate: uses the head of a request to decide how to respond.

import NIOHTTP1

/// The rules for requests. Any page in the user's browser can send requests to the server, and an
/// attacker can make a host name resolve to 127.0.0.1. Each rule prevents one kind of attack.
protocol RequestGate: Sendable {
    func verdict(on head: HTTPRequestHead) -> RequestVerdict
}

/// The decision on how to respond to a request.
enum RequestVerdict: Equatable {
    /// The server sends the file with the given name.
    case file(String)
    /// The server redirects the browser to a location, and sets a cookie.
    case redirect(to: String, cookie: String?)
    /// The server opens a WebSocket.
    case socket
    case refusal(HTTPResponseStatus, String)
    /// The server refuses a client that the user can authorize, and reports the refusal to the user
    /// with the given text.
    case stranger(String, refusal: String)
}

extension HTTPRequestHead {
    /// Returns the refusal of a request that is not for 127.0.0.1 or that a browser sends with a
    /// method other than GET and HEAD; nil for any other request.
    ///
    /// - Parameters:
    ///   - port: the port of the server.
    ///   - foreign: a closure that returns the response to a page whose origin differs from the
    ///     origin of the server; nil to accept the page. The argument is the Origin header.
    func refusal(
        at port: Int, ofForeign foreign: (String) -> RequestVerdict?
    ) -> RequestVerdict? {
        guard let host = headers["host"].only?.lowercased(),
            ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host)
        else {
            return .refusal(
                .forbidden,
                "This server responds only to requests for 127.0.0.1:\(port) and localhost:\(port)."
            )
        }
        // Programs other than browsers do not send an Origin header.
        let origins = headers["origin"]
        let isOwn = origins.isEmpty || origins.only?.lowercased() == "http://\(host)"
        if !isOwn, let refusal = foreign(origins.joined(separator: ", ")) { return refusal }
        // Requests with these methods have no effect. All changes are made through the WebSocket.
        guard method == .GET || method == .HEAD else {
            return .refusal(.methodNotAllowed, "Only the methods GET and HEAD are allowed.")
        }
        return nil
    }
}

extension Array {
    /// The only element of an array; nil if the array does not contain exactly one element.
    fileprivate var only: Element? { count == 1 ? self[0] : nil }
}
