// KeyProof: how two programs prove to each other that they have the same key.

import Checksum

/// The proofs of a connection by TCP, whose two random numbers are used once.
///
/// The server sends a line with `NetworkAddress.greeting` and its number. The client answers with a line that has its own number
/// and its proof, and the server with a line that has the proof of the server. Every message after
/// that carries a code over its number and its content, so that nobody on the way can add, change,
/// repeat or leave out any. The content itself can be read on the way.
struct KeyProof {
    let key: RemoteKey
    /// The random numbers of the server and of the client.
    let server: [UInt8]
    let client: [UInt8]

    /// The length of a random number, in bytes.
    static let numberLength = 32
    /// The length of the longest line, in bytes, with its end.
    static let lineMax = 4 * numberLength + 2

    var ofClient: [UInt8] { code("client proves") }
    var ofServer: [UInt8] { code("server proves") }

    /// Returns the codes for the messages of a connection, as one of its ends makes and checks them.
    func seal(ofServer isServer: Bool) -> MessageSeal {
        let (mine, other) = (code("server speaks"), code("client speaks"))
        return isServer
            ? MessageSeal(sending: mine, receiving: other)
            : MessageSeal(sending: other, receiving: mine)
    }

    private func code(_ purpose: String) -> [UInt8] {
        SHA256.code(of: Array(purpose.utf8) + server + client, key: key.bytes)
    }
}

/// The codes of the messages of a connection.
struct MessageSeal {
    private let sending: [UInt8]
    private let receiving: [UInt8]
    private var sent: UInt64 = 0
    private var received: UInt64 = 0

    /// The length of a code, in bytes.
    static let length = SHA256.length

    init(sending: [UInt8], receiving: [UInt8]) {
        (self.sending, self.receiving) = (sending, receiving)
    }

    /// Returns the code of the next message that is sent.
    mutating func code(of message: some Sequence<UInt8>) -> [UInt8] {
        defer { sent += 1 }
        return Self.code(of: message, sent, sending)
    }

    /// Returns whether a code is that of the next message that is received.
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
