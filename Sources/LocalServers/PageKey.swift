// PageKey: a secret that authorizes access to a server.

/// 128 random bits, as hexadecimal digits.
public struct PageKey: Sendable, CustomStringConvertible {
    /// The digits.
    public let description: String

    /// Creates a random secret.
    public init() {
        var generator = SystemRandomNumberGenerator()
        description = (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns whether the query of a URL is `key=` and this secret.
    func isIn(query: some StringProtocol) -> Bool {
        query.hasPrefix("key=") && isEqual(to: query.dropFirst("key=".count))
    }

    /// Compares the secret with a guess in constant time.
    func isEqual(to guess: some StringProtocol) -> Bool {
        let (left, right) = (Array(description.utf8), Array(guess.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
