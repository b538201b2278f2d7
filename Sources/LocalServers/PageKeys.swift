// PageKeys: the secrets that authorize the browser of the server's user.

import Synchronization

/// A one-time token, and the cookie and the key that a browser receives in exchange for the token.
///
/// The token is part of the URL that the user opens. Other programs and the browser history may
/// reveal the URL, so the token becomes invalid as soon as a browser has opened it. The cookie and
/// the key remain valid until the server ends. The browser sends the cookie to every port of this
/// computer, including ports that belong to other users, so the cookie only authorizes access to
/// the files. The key authorizes the WebSocket. Only the scripts of the page know the key.
final class PageKeys: Sendable {
    /// The name of the cookie. It contains the port number, because all ports of a host share their
    /// cookies.
    let cookieName: String
    let cookie = PageKeys.secret()
    let key = PageKeys.secret()
    private let unspent = Mutex<String?>(nil)

    init(port: Int) { cookieName = "haptic-bridge-\(port)" }

    /// The current token, which no browser has used yet.
    var token: String {
        unspent.withLock { token in
            let current = token ?? Self.secret()
            token = current
            return current
        }
    }

    /// Uses up a token. If it is the current token, replaces the current token and returns true;
    /// otherwise, returns false.
    func spend(_ offered: String) -> Bool {
        unspent.withLock { token in
            guard let current = token, Self.areEqual(current, offered) else { return false }
            token = nil
            return true
        }
    }

    /// Returns whether the query of a URL is equal to the key.
    func isKey(_ query: some StringProtocol) -> Bool {
        query.hasPrefix("key=") && Self.areEqual(key, String(query.dropFirst("key=".count)))
    }

    /// Returns whether the text of a Cookie header contains the right cookie.
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

    /// Compares a secret with a guess in constant time.
    private static func areEqual(_ secret: String, _ guess: String) -> Bool {
        let (left, right) = (Array(secret.utf8), Array(guess.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
