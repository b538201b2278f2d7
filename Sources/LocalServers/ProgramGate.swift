// ProgramGate: decides how a server for programs on this computer responds to requests.

import NIOHTTP1

/// The rules for requests to a server that opens a WebSocket for programs of the user. A page can
/// open the WebSocket only if the user has allowed the origin of the page.
struct ProgramGate: RequestGate {
    let port: Int
    /// The origins of the allowed pages, in lower case.
    let origins: Set<String>
    /// The key that the address of the WebSocket must contain; nil if no key is necessary.
    var key: PageKey?

    func verdict(on head: HTTPRequestHead) -> RequestVerdict {
        let refusal = head.refusal(at: port) { origin in
            origins.contains(origin.lowercased())
                ? nil : .stranger(origin, refusal: "The origin of this page is not allowed.")
        }
        if let refusal { return refusal }
        let parts = head.uri.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard key?.isIn(query: parts.count == 2 ? parts[1] : "") != false else {
            return .refusal(
                .forbidden,
                "The address contains no key, or a wrong one. Use the address that bridge has "
                    + "printed in the terminal.")
        }
        return .socket
    }
}
