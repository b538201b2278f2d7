// Tests of the keys and clocks of programs on other computers. The tests need no connection.

import BridgeLink
import Checksum
import Foundation
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBridge

@Suite struct SHA256Tests {
    /// The examples of FIPS 180-4, and texts whose length is near the end of a block. The hashes of
    /// the latter were calculated with `sha256sum`.
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func hashesAreThoseOfTheStandard(text: String, hash: String) {
        #expect(SHA256.hash(text.utf8).hexadecimal == hash)
    }

    @Test func portionsDoNotMatter() {
        for count in 50...140 {
            let bytes = (0..<count).map { UInt8($0) }
            var parts = SHA256()
            parts.update(bytes.prefix(count / 3))
            parts.update(bytes.dropFirst(count / 3))
            #expect(parts.finish() == SHA256.hash(bytes))
        }
    }

    /// RFC 4231, test cases 1, 2, 3 and 6.
    @Test func codesAreThoseOfTheStandard() {
        func code(_ key: [UInt8], _ text: [UInt8]) -> String {
            SHA256.code(of: text, key: key).hexadecimal
        }
        #expect(
            code([UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            code(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            code([UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50))
                == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
        #expect(
            code(
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func codesThatDifferAnywhereAreNotEqual() {
        let code = SHA256.hash("abc".utf8)
        #expect(SHA256.isEqual(code, code))
        for index in code.indices {
            var other = code
            other[index] ^= 0x80
            #expect(!SHA256.isEqual(code, other))
        }
        #expect(!SHA256.isEqual(code, Array(code.dropLast())) && !SHA256.isEqual(code, []))
    }
}

@Suite struct KeyProofTests {
    let folder = Folder()

    private func proof(_ file: String = "key", server: UInt8 = 1, client: UInt8 = 2) throws
        -> KeyProof
    {
        KeyProof(
            key: try RemoteKey(madeAt: folder.path(file)),
            server: [UInt8](repeating: server, count: 32),
            client: [UInt8](repeating: client, count: 32))
    }

    @Test func aProofIsOfOneKeyOneConnectionAndOneSide() throws {
        let one = try proof()
        #expect(try one.ofClient == proof().ofClient)
        let others = try [
            proof("other").ofClient, proof(server: 3).ofClient, proof(client: 3).ofClient,
            proof(server: 2, client: 1).ofClient, one.ofServer,
        ]
        for other in others { #expect(other != one.ofClient) }
    }

    /// Returns, for each message in order, true if one side of the connection accepts the message.
    private func accepted(
        _ messages: [(code: [UInt8], content: [UInt8])], by seal: MessageAuthenticator
    ) -> [Bool] {
        var seal = seal
        return messages.map { seal.accepts($0.code, of: $0.content) }
    }

    @Test func aMessageIsAcceptedOnceInItsPlaceAndUnchanged() throws {
        let server = try proof().seal(ofServer: true)
        var client = try proof().seal(ofServer: false)
        let contents: [[UInt8]] = [[1, 2, 3], [], [1, 2, 3], [4]]
        let messages = contents.map { (code: client.code(of: $0), content: $0) }
        #expect(messages[0].code != messages[2].code)
        #expect(accepted(messages, by: server) == [true, true, true, true])
        let replayed = [messages[0], messages[0]]
        #expect(accepted(replayed, by: server) == [true, false])
        let skipped = [messages[0], messages[2]]
        #expect(accepted(skipped, by: server) == [true, false])
        let changed = [messages[0], (code: messages[1].code, content: [0])]
        #expect(accepted(changed, by: server) == [true, false])
        // A side must not accept a message that it created itself.
        #expect(try accepted(messages, by: proof().seal(ofServer: false))[0] == false)
    }

    @Test func aKeyIsMadeOnceAndReadFromThenOn() throws {
        let one = try RemoteKey(madeAt: folder.path("sub/key"))
        #expect(try RemoteKey(madeAt: folder.path("sub/key")).bytes == one.bytes)
        #expect(try RemoteKey(madeAt: folder.path("sub/other")).bytes != one.bytes)
        #expect(one.bytes.count == 32)
    }

    @Test(
        arguments: [
            "", "abc", String(repeating: "0", count: 63), String(repeating: "0", count: 66),
            String(repeating: "g", count: 64), String(repeating: "0", count: 300),
        ])
    func whatIsNoKeyIsRefused(text: String) throws {
        let file = try folder.write("bad", text)
        chmod(file, 0o600)
        #expect(throws: RemoteKey.Refusal.self) { try RemoteKey(file: file) }
    }

    @Test func aKeyThatOthersCanReadIsRefused() throws {
        #expect(RemoteKey.isPrivate(owner: 7, mode: 0o600, for: 7))
        #expect(RemoteKey.isPrivate(owner: 0, mode: 0o400, for: 7))
        #expect(!RemoteKey.isPrivate(owner: 8, mode: 0o600, for: 7))
        for mode: mode_t in [0o640, 0o604, 0o660, 0o610] {
            #expect(!RemoteKey.isPrivate(owner: 7, mode: mode, for: 7))
        }
        #expect(throws: RemoteKey.Refusal.self) { try RemoteKey(file: folder.url.path) }
    }
}

/// Tests of many unauthenticated connections to the network listener.
@Suite struct TCPListenerTests {
    private typealias Candidate = (address: String, isWrong: Bool)

    /// Returns the maximum number of connections, distributed over a number of addresses.
    private func crowd(from addresses: Int) -> [Candidate] {
        (0..<TCPListener.candidatesMax).map { ("a\($0 % addresses)", false) }
    }

    @Test(arguments: [8, 31, 32])
    func aNewcomerComesInThroughACrowdInsteadOfItsOldest(addresses: Int) {
        let admission = TCPListener.admission(from: "new", among: crowd(from: addresses))
        #expect(admission == .insteadOf(0))
    }

    /// Checks that a new connection does not replace a recent connection, unless both connections
    /// have the same address.
    @Test func theAddressWithMostGivesWay() {
        var candidates: [Candidate] = crowd(from: 8)
        candidates[0].address = "new"
        for index in 1...7 {
            #expect(TCPListener.admission(from: "b\(index)", among: candidates) == .insteadOf(1))
        }
        candidates = Array(repeating: ("new", false), count: 4)
        #expect(TCPListener.admission(from: "new", among: candidates) == .insteadOf(0))
        #expect(TCPListener.admission(from: "other", among: candidates) == .free)
    }

    @Test func wrongProofsOfAnAddressAreNotForgottenForItsNextOne() {
        var candidates: [Candidate] = Array(repeating: ("a", true), count: 4)
        #expect(TCPListener.admission(from: "a", among: candidates) == .refused)
        candidates[2].isWrong = false
        #expect(TCPListener.admission(from: "a", among: candidates) == .insteadOf(2))
        #expect(TCPListener.admission(from: "b", among: candidates) == .free)
    }
}

@Suite struct RemoteClockTests {
    /// Checks that the true difference is within the bound, regardless of the delays in either
    /// direction.
    @Test func theBoundHoldsWhateverTheNetworkDoes() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let truth = Microseconds.random(in: -1_000_000_000...1_000_000_000, using: &generator)
            var clock = RemoteClock()
            var now = HostTime(microseconds: 5_000_000_000)
            for _ in 0..<100 {
                let (there, back) = (
                    Microseconds.random(in: 0...30_000, using: &generator),
                    Microseconds.random(in: 0...30_000, using: &generator)
                )
                clock.record(
                    sent: now, answered: now + there + truth, received: now + there + back)
                now = now + there + back + 60_000
                let estimate = try #require(clock.offset(at: now))
                #expect(abs(estimate.offset - truth) <= estimate.errorBound)
            }
            #expect(clock.offset(at: now)!.errorBound <= 30_000)
        }
    }

    @Test func theBoundGrowsWithTheAgeOfTheAnswers() throws {
        var clock = RemoteClock()
        #expect(clock.offset(at: 0) == nil)
        clock.record(sent: 1_000, answered: 51_100, received: 1_200)
        #expect(clock.offset(at: 1_100)! == (50_000, 100))
        #expect(clock.offset(at: 10_001_100)! == (50_000, 2_100))
        // An answer that precedes its query is rejected.
        clock.record(sent: 9_000, answered: 0, received: 8_000)
        #expect(clock.count == 1)
    }

    @Test func onlyTimesAreMoved() {
        func time(_ command: PlayerCommand) -> HostTime? {
            switch command.moved(by: -500) {
            case .start(let time, _), .stop(let time), .pause(let time), .resume(let time): time
            case .send(_, let time), .schedule(_, let time): time
            default: nil
            }
        }
        let curve = HapticParameterCurve(.hapticIntensityControl, time: 0, points: [])
        let timed: [PlayerCommand] = [
            .start(at: 2_000), .stop(at: 2_000), .pause(at: 2_000), .resume(at: 2_000),
            .send([], at: 2_000), .schedule(curve, at: 2_000),
        ]
        for command in timed { #expect(time(command) == 1_500) }
        // On every clock, the time 0 means the current time. The conversion of a time never results
        // in an invalid time.
        #expect(time(.start(at: 0)) == 0 && time(.start(at: 100)) == 0)
        guard case .seek(300) = PlayerCommand.seek(offset: 300).moved(by: -500) else {
            Issue.record("an offset within a pattern is converted like a time")
            return
        }
    }
}
