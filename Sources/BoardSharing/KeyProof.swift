// KeyProof: the protocol with which two programs prove to each other that they have the same key.

import Checksum

/// The proofs of a TCP connection, which are based on two random numbers that are used only once.
///
/// The server sends a line with `NetworkAddress.greeting` and its random number. The client answers
/// with a line that contains its own random number and its proof, and the server answers with a
/// line that contains the server's proof. Every later message contains an authentication code that
/// is computed from the sequence number and the content of the message, so that an attacker on the
/// network cannot insert, change, repeat or remove messages. The content is not encrypted.
struct KeyProof {
    let key: RemoteKey
    /// The random numbers of the server and of the client.
    let server: [UInt8]
    let client: [UInt8]

    /// The length of a random number, in bytes.
    static let numberLength = 32
    /// The maximum length of a line in bytes, including its line feed.
    static let lineMax = 4 * numberLength + 2

    var ofClient: [UInt8] { code("client proves") }
    var ofServer: [UInt8] { code("server proves") }

    /// Returns the authenticator for the messages of a connection, for one end of the connection.
    func seal(ofServer isServer: Bool) -> MessageAuthenticator {
        let (mine, other) = (code("server speaks"), code("client speaks"))
        return isServer
            ? MessageAuthenticator(sending: mine, receiving: other)
            : MessageAuthenticator(sending: other, receiving: mine)
    }

    private func code(_ purpose: String) -> [UInt8] {
        SHA256.code(of: Array(purpose.utf8) + server + client, key: key.bytes)
    }
}

/// Creates and checks the authentication codes of the messages of a connection.
struct MessageAuthenticator {
    private let sending: [UInt8]
    private let receiving: [UInt8]
    private var sent: UInt64 = 0
    private var received: UInt64 = 0

    /// The length of an authentication code, in bytes.
    static let length = SHA256.length

    init(sending: [UInt8], receiving: [UInt8]) {
        (self.sending, self.receiving) = (sending, receiving)
    }

    /// Returns the code of the next message to be sent.
    mutating func code(of message: some Sequence<UInt8>) -> [UInt8] {
        defer { sent += 1 }
        return Self.code(of: message, sent, sending)
    }

    /// Returns whether a code is correct for the next message that is received.
    mutating func accepts(_ code: [UInt8], of message: some Sequence<UInt8>) -> Bool {
        defer { received += 1 }
        return SHA256.isEqual(code, Self.code(of: message, received, receiving))
    }

    private static func code(
        of message: some Sequence<UInt8>, _ number: UInt64, _ key: [UInt8]
    ) -> [UInt8] {
        let prefix = (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        return SHA256.code(of: prefix + Array(message), key: key)
    }
}
