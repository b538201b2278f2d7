// TCPListener: the TCP listener through which programs on other computers connect to a board with a
// key.

import BridgeLink
import Checksum
import Foundation
import POSIX
import SerialPorts

/// Admits programs that prove that they have the key. All other programs must wait, and are then
/// disconnected without a message.
package final class TCPListener: Listener, @unchecked Sendable {
    /// A program that has connected and has not yet proved that it has the key.
    private struct Candidate {
        let socket: LocalSocket
        let address: String
        let number: [UInt8]
        /// The host time at which the program is disconnected.
        var end: HostTime
        var received: [UInt8] = []
        /// True if the program has sent a wrong proof or invalid data.
        var isWrong = false
    }

    /// The URL of the listener, `tcp://HOST:PORT`.
    package let path: String
    /// The address at which another listener can be opened after this listener has been closed,
    /// `HOST:PORT`.
    package var address: String { String(path.dropFirst("tcp://".count)) }
    private let key: RemoteKey
    private let listener: LocalSocket
    private let pause = AdmissionPause()
    // Used only by the server's thread.
    private var candidates: [Candidate] = []

    let isRemote = true

    /// The timeout for the proof of a program, in microseconds.
    private static let patience: Microseconds = 3_000_000
    /// The time for which a program with a wrong key must wait, in microseconds, so that keys
    /// cannot be tried quickly.
    private static let penalty: Microseconds = 1_000_000
    /// The maximum number of candidates.
    static let candidatesMax = 32
    /// The maximum number of candidates from one address.
    static let candidatesOfAddressMax = 4

    /// Opens the listener.
    ///
    /// - Parameter address: `[HOST:]PORT`. If no host is given, only programs on this computer can
    ///   connect. Port 0 means any free port.
    /// - Throws: `TransportError.network`.
    package init(at address: String, key: RemoteKey) throws(TransportError) {
        let (descriptor, path) = try NetworkAddress.listen(at: address)
        (self.path, self.key) = (path, key)
        listener = LocalSocket(descriptor: descriptor)
    }

    var requests: [pollfd] {
        (pause.end == nil ? [listener.request()] : [])
            + candidates.map { $0.socket.request(reading: !$0.isWrong) }
    }

    var deadline: HostTime { (candidates.map(\.end) + [pause.end ?? .never]).min()! }

    func acceptedConnections() -> [(connection: MessageConnection, refusal: String?)] {
        while true {
            errno = 0
            guard let (socket, address) = listener.acceptedFromAfar() else { break }
            greet(socket, from: address)
        }
        pause.begin(after: errno)
        var connections: [MessageConnection] = []
        let now = Link.now()
        for index in candidates.indices.reversed() {
            if let connection = read(&candidates[index], at: now) {
                connections.append(connection)
                candidates.remove(at: index)
            } else if candidates[index].end <= now {
                candidates[index].socket.shutDown()
                candidates.remove(at: index)
            }
        }
        return connections.map { ($0, nil) }
    }

    package func close() { listener.shutDown() }

    /// The treatment of a new connection.
    enum Admission: Equatable {
        case free
        /// The connection replaces a candidate.
        case insteadOf(Int)
        case refused
    }

    /// Returns the treatment of a new connection. If there is no room, an old candidate is
    /// disconnected, because a program that has the key proves this immediately. If there are too
    /// many candidates from the address of the new connection, the oldest of these candidates that
    /// has not sent a wrong proof is disconnected; if all of them have sent wrong proofs, the new
    /// connection is rejected. Otherwise, the oldest candidate from the address with the most
    /// candidates is disconnected.
    ///
    /// - Parameter candidates: the candidates, oldest first.
    static func admission(
        from address: String, among candidates: [(address: String, isWrong: Bool)]
    ) -> Admission {
        let own = candidates.indices.filter { candidates[$0].address == address }
        if own.count >= candidatesOfAddressMax {
            return own.first { !candidates[$0].isWrong }.map { .insteadOf($0) } ?? .refused
        }
        guard candidates.count >= candidatesMax else { return .free }
        let counts = Dictionary(grouping: candidates, by: \.address).mapValues(\.count)
        let most = counts.values.max()
        return candidates.firstIndex { counts[$0.address] == most }.map { .insteadOf($0) }
            ?? .refused
    }

    private func greet(_ socket: LocalSocket, from address: String) {
        switch Self.admission(from: address, among: candidates.map { ($0.address, $0.isWrong) }) {
        case .free: break
        case .insteadOf(let index): candidates.remove(at: index).socket.shutDown()
        case .refused: return socket.shutDown()
        }
        let number = RemoteKey.random(KeyProof.numberLength)
        _ = socket.write(Array((NetworkAddress.greeting + number.hexadecimal + "\n").utf8))
        candidates.append(
            Candidate(
                socket: socket, address: address, number: number,
                end: Link.now() + Self.patience))
    }

    /// Reads the data of a candidate. Returns the connection to the candidate when it has proved
    /// that it has the key.
    private func read(_ candidate: inout Candidate, at now: HostTime) -> MessageConnection? {
        // After a wrong proof, no more data is read.
        guard !candidate.isWrong else { return nil }
        switch candidate.socket.read(upTo: KeyProof.lineMax) {
        case .nothing: return nil
        case .end:
            candidate.end = now
            return nil
        case .bytes(let bytes):
            candidate.received += bytes
            guard let end = candidate.received.firstIndex(of: 0x0A) else {
                if candidate.received.count >= KeyProof.lineMax { punish(&candidate, at: now) }
                return nil
            }
            let isWhole = end == candidate.received.count - 1
            guard isWhole,
                let connection = connection(to: candidate, proving: candidate.received[..<end])
            else {
                punish(&candidate, at: now)
                return nil
            }
            return connection
        }
    }

    private func punish(_ candidate: inout Candidate, at now: HostTime) {
        (candidate.isWrong, candidate.end) = (true, now + Self.penalty)
        candidate.received = []
    }

    private func connection(
        to candidate: Candidate, proving words: ArraySlice<UInt8>
    ) -> MessageConnection? {
        let parts = words.split(separator: 0x20).map { [UInt8](hexadecimal: Array($0)) }
        guard parts.count == 2, let number = parts[0], let given = parts[1],
            number.count == KeyProof.numberLength
        else { return nil }
        let proof = KeyProof(key: key, server: candidate.number, client: number)
        guard SHA256.isEqual(given, proof.ofClient) else { return nil }
        _ = candidate.socket.write(Array((proof.ofServer.hexadecimal + "\n").utf8))
        return MessageConnection(candidate.socket, sealed: proof.seal(ofServer: true))
    }
}
