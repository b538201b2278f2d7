// RemoteConnection: the connection to a board that a process on another computer serves.

import BridgeLink
import Checksum
import POSIX
import SerialPorts

/// The client side of a connection to a listener with a key.
enum RemoteConnection {
    /// The timeout for the server's answers, in microseconds.
    private static let patience: Microseconds = 5_000_000

    /// Connects to `tcp://HOST:PORT`, and proves that this program has the key.
    ///
    /// - Throws: `TransportError.network`.
    static func connect(to path: String, key: RemoteKey) throws(TransportError) -> MessageConnection
    {
        let socket = LocalSocket(descriptor: try NetworkAddress(path).connect())
        let deadline = Link.now() + patience
        let greeting = try text(from: socket, before: deadline, at: path)
        guard greeting.hasPrefix(NetworkAddress.greeting),
            let server = [UInt8](
                hexadecimal: Array(greeting.dropFirst(NetworkAddress.greeting.count).utf8)),
            server.count == KeyProof.numberLength
        else { throw .network(path: path, .noServer) }
        let proof = KeyProof(
            key: key, server: server, client: RemoteKey.random(KeyProof.numberLength))
        let words = proof.client.hexadecimal + " " + proof.ofClient.hexadecimal + "\n"
        _ = socket.write(Array(words.utf8))
        let answer: String
        do {
            answer = try text(from: socket, before: deadline, at: path)
        } catch {
            throw .network(path: path, .wrongKey)
        }
        guard let code = [UInt8](hexadecimal: Array(answer.utf8)),
            SHA256.isEqual(code, proof.ofServer)
        else { throw .network(path: path, .wrongKey) }
        return MessageConnection(socket, sealed: proof.seal(ofServer: false))
    }

    /// Returns the next line of text. The line is read byte by byte, so that no data after the line
    /// is consumed.
    private static func text(
        from socket: LocalSocket, before deadline: HostTime, at path: String
    ) throws(TransportError) -> String {
        var bytes: [UInt8] = []
        while bytes.count <= KeyProof.lineMax {
            switch socket.read(upTo: 1) {
            case .bytes(let next) where next == [0x0A]:
                return String(decoding: bytes, as: UTF8.self)
            case .bytes(let next): bytes += next
            case .end: throw .network(path: path, bytes.isEmpty ? .turnedAway : .noServer)
            case .nothing:
                var requests = [socket.request()]
                guard Link.now() < deadline else { throw .network(path: path, .noServer) }
                _ = hostClock.poll(&requests, until: deadline)
            }
        }
        throw .network(path: path, .noServer)
    }
}
