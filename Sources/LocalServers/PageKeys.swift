// PageKeys: the secrets that authorize the browser of the server's user.

import Synchronization

/// A one-time token, and the cookie and the key that a browser receives in exchange for the token.
///
/// The token is part of the URL that the user opens. Other programs and the browser history may
/// reveal the URL, so the token becomes invalid as soon as a browser has opened it. The cookie and
/// the key remain valid until the server ends. The browser sends the cookie to every port of this
/// computer, including ports that belong to other users, so the cookie only authorizes access to
/// the files. The key authorizes the WebSocket. Only the scripts of the page have access to the
/// key.
final class PageKeys: Sendable {
    /// The name of the cookie. The name contains the port number, because all ports of a host share
    /// their cookies.
    let cookieName: String
    let cookie = PageKey()
    let key = PageKey()
    private let unspent = Mutex<PageKey?>(nil)

    init(port: Int) { cookieName = "haptic-bridge-\(port)" }

    /// The current token, which no browser has used yet.
    var token: PageKey {
        unspent.withLock { token in
            let current = token ?? PageKey()
            token = current
            return current
        }
    }

    /// Invalidates the current token and returns true if `offered` is the current token; otherwise,
    /// returns false.
    func spend(_ offered: String) -> Bool {
        unspent.withLock { token in
            guard let current = token, current.isEqual(to: offered) else { return false }
            token = nil
            return true
        }
    }

    /// Returns whether the text of a Cookie header contains the right cookie.
    func isIn(_ header: some StringProtocol) -> Bool {
        header.split(separator: ";").contains { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookieName
                && cookie.isEqual(to: parts[1])
        }
    }
}
