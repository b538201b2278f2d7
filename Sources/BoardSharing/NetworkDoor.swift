// NetworkDoor: the TCP port at which programs of other computers come to a board, with a key.

import BridgeLink
import Checksum
import Foundation
import POSIX
import SerialPorts

/// Lets programs in that prove to have the key. Whoever does not is kept waiting, and then turned
/// away without a word.
package final class NetworkDoor: Door, @unchecked Sendable {
    /// A program that has connected and has not proved anything yet.
    private struct Candidate {
        let socket: LocalSocket
        let address: String
        let number: [UInt8]
        /// The host time at which it is turned away.
        var end: HostTime
        var received: [UInt8] = []
        /// True if it has given a wrong proof, or nonsense.
        var isWrong = false
    }

    /// The address at which the door is, `tcp://HOST:PORT`.
    package let path: String
    /// The place at which a door with the same address can be opened after this one.
    package var place: String { String(path.dropFirst("tcp://".count)) }
    private let key: RemoteKey
    private let listener: LocalSocket
    private let pause = AdmissionPause()
    // Used by the thread of the server alone.
    private var candidates: [Candidate] = []

    let isRemote = true

    /// The time within which a program must prove that it has the key, in microseconds.
    private static let patience: Microseconds = 3_000_000
    /// The time for which a program with a wrong key is kept waiting, so that keys cannot be tried
    /// quickly.
    private static let penalty: Microseconds = 1_000_000
    /// The number of candidates, and of those from one address.
    static let candidatesMax = 32
    static let candidatesOfAddressMax = 4

    /// Opens the door.
    ///
    /// - Parameter place: `[HOST:]PORT`; without a host, only this computer can connect. Port 0
    ///   stands for one that is free.
    /// - Throws: `TransportError.network`.
    package init(at place: String, key: RemoteKey) throws(TransportError) {
        let (descriptor, path) = try NetworkAddress.listen(at: place)
        (self.path, self.key) = (path, key)
        listener = LocalSocket(descriptor: descriptor)
    }

    var requests: [pollfd] {
        (pause.end == nil ? [listener.request()] : [])
            + candidates.map { $0.socket.request(reading: !$0.isWrong) }
    }

    var deadline: HostTime { (candidates.map(\.end) + [pause.end ?? .never]).min()! }

    func newcomers() -> [(line: MessageLine, refusal: String?)] {
        while true {
            errno = 0
            guard let (socket, address) = listener.acceptedFromAfar() else { break }
            greet(socket, from: address)
        }
        pause.begin(after: errno)
        var lines: [MessageLine] = []
        let now = Link.now()
        for index in candidates.indices.reversed() {
            if let line = hear(&candidates[index], at: now) {
                lines.append(line)
                candidates.remove(at: index)
            } else if candidates[index].end <= now {
                candidates[index].socket.shutDown()
                candidates.remove(at: index)
            }
        }
        return lines.map { ($0, nil) }
    }

    package func close() { listener.shutDown() }

    /// The treatment of a newcomer.
    enum Admission: Equatable {
        case free
        /// It takes the place of a candidate.
        case insteadOf(Int)
        case refused
    }

    /// Returns what is done with a newcomer. Where there is no room, the candidate that has waited longest
    /// is given up, because whoever has the key proves it at once: the oldest of the newcomer's address,
    /// or else of the address that has most of them. An address from which nothing but wrong proofs came
    /// just now has to wait.
    ///
    /// - Parameter candidates: the candidates by age, the oldest first.
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

    /// Reads what a candidate says. Returns the line to it once it has proved that it has the key.
    private func hear(_ candidate: inout Candidate, at now: HostTime) -> MessageLine? {
        // Whatever it says now is not read.
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
            guard isWhole, let line = line(to: candidate, saying: candidate.received[..<end])
            else {
                punish(&candidate, at: now)
                return nil
            }
            return line
        }
    }

    private func punish(_ candidate: inout Candidate, at now: HostTime) {
        (candidate.isWrong, candidate.end) = (true, now + Self.penalty)
        candidate.received = []
    }

    private func line(
        to candidate: Candidate, saying words: ArraySlice<UInt8>
    ) -> MessageLine? {
        let parts = words.split(separator: 0x20).map { [UInt8](hexadecimal: Array($0)) }
        guard parts.count == 2, let number = parts[0], let given = parts[1],
            number.count == KeyProof.numberLength
        else { return nil }
        let proof = KeyProof(key: key, server: candidate.number, client: number)
        guard SHA256.isEqual(given, proof.ofClient) else { return nil }
        _ = candidate.socket.write(Array((proof.ofServer.hexadecimal + "\n").utf8))
        return MessageLine(candidate.socket, sealed: proof.seal(ofServer: true))
    }
}
