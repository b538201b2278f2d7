// PageFile: a file of a page, and the headers of responses.

import NIOHTTP1

/// The bytes of a file, and the headers of the response that contains the file.
struct PageFile: Sendable {
    let type: String
    let bytes: [UInt8]

    /// - Parameter name: the name of the file. The extension of the name determines the content
    ///   type.
    init(name: String, bytes: [UInt8]) {
        let suffix = name.split(separator: ".").last.map(String.init) ?? ""
        type = Self.types[suffix] ?? "application/octet-stream"
        self.bytes = bytes
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "json": "application/json",
        "svg": "image/svg+xml", "png": "image/png", "ico": "image/vnd.microsoft.icon",
        "woff2": "font/woff2",
    ]

    /// The headers of all responses. These headers prevent foreign scripts from running in the
    /// page, other pages from embedding or reading the page, and the browser from sending the
    /// page's address to other sites. A response has no CORS headers, so pages of other origins
    /// cannot read it.
    static let headers = HTTPHeaders([
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ])
}
