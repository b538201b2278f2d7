// PageKeys: the secrets by which a server knows its user's browser.

import Synchronization

/// A token that is exchanged once for a cookie and a key, and these two.
///
/// The token stands in the URL that the user opens, where other programs and the history of the
/// browser may see it; it is of no use once the browser has been there. The cookie and the key are
/// valid for the life of the server. The browser sends the cookie to every port of this computer, other
/// users' included, so it admits to the files only; the key, which only the page's own scripts have, is
/// what opens the WebSocket.
final class PageKeys: Sendable {
    /// The name of the cookie. It contains the port, because cookies are shared by all ports of a
    /// host.
    let cookieName: String
    let cookie = PageKeys.secret()
    let key = PageKeys.secret()
    private let unspent = Mutex<String?>(nil)

    init(port: Int) { cookieName = "haptic-bridge-\(port)" }

    /// The token that has not been spent yet.
    var token: String {
        unspent.withLock { token in
            let current = token ?? Self.secret()
            token = current
            return current
        }
    }

    /// Spends a token. Returns whether it was the one that had not been spent.
    func spend(_ offered: String) -> Bool {
        unspent.withLock { token in
            guard let current = token, Self.areEqual(current, offered) else { return false }
            token = nil
            return true
        }
    }

    /// Returns whether the query of a URL is the key.
    func isKey(_ query: some StringProtocol) -> Bool {
        query.hasPrefix("key=") && Self.areEqual(key, String(query.dropFirst("key=".count)))
    }

    /// Returns whether the text of a Cookie header contains the cookie.
    func isIn(_ header: some StringProtocol) -> Bool {
        header.split(separator: ";").contains { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookieName
                && Self.areEqual(cookie, String(parts[1]))
        }
    }

    /// 128 random bits, as hexadecimal digits.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares in a time that does not tell how much of a guess is right.
    private static func areEqual(_ secret: String, _ guess: String) -> Bool {
        let (left, right) = (Array(secret.utf8), Array(guess.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
