// Tests of changes over a line that corrupts bytes. The levels after a late, lost, repeated or
// rejected REVISE must be correct.

import BridgeLink
import CBridgeProtocol
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite struct NoisyLineTests {
    private static func level(_ value: Double) -> PlayerCommand {
        .send([HapticDynamicParameter(.hapticIntensityControl, time: 0, value: value)], at: 0)
    }

    @Test(
        "after each burst of changes, the last change is played", arguments: 1...4,
        [4_000, 1_000, 300])
    func theLastChangeIsFelt(seed: UInt64, noise: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let client = try #require(LiveClient(.usb, drift: 3_000, seed: seed, noise: noise))
        let player = client.start(.held(1))
        let other = client.start(.held(0.1))
        for round in 0..<25 {
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                client.perform(Self.level(.random(in: 0...1, using: &generator)), of: player)
                client.run(for: .random(in: 1_000...25_000, using: &generator))
            }
            let value = Double.random(in: 0...1, using: &generator)
            client.perform(Self.level(value), of: player)
            let expected = Int((max(value, 0.1) * 255).rounded())
            let isFelt = client.link.run(until: client.link.now + 500_000) { _ in
                client.level == expected
            }
            client.run(for: 100_000)
            #expect(isFelt && abs(client.level - expected) <= 1, "round \(round)")
        }
        client.perform(.stop(at: 0), of: player)
        client.perform(.cancel, of: other)
        client.run(for: 1_000_000)
        #expect(client.level == 0, "no level is stuck")
        #expect(client.live.failure == nil)
        #expect(client.link.session.statistics.damagedFrames > 0)
    }

    @Test func aRevisionForWhichThereIsNoRoomIsMadeAgain() throws {
        let client = try #require(LiveClient(.usb, drift: 0, seed: 3))
        let player = client.start(.held(0.5))
        client.run(for: 200_000)
        // Waits of 0.25 s fill the event memory and use up the reserve.
        client.use { [unowned client] session in
            let live = client.live
            var credit = session.eventCredit(
                stream: live.stream, generation: live.feeder.generation)
            while credit > 0 {
                let count = min(credit, 40)
                let wait: [UInt8] = [0xF1, 0xE8, 0x07, 0x03]
                let waits = Array((0..<10).flatMap { _ in wait }.prefix(count))
                session.send(
                    .events(
                        Events(
                            stream: live.stream, generation: live.feeder.generation, bytes: waits)))
                credit -= count
            }
        }
        client.run(for: 20_000)
        client.perform(Self.level(0.5), of: player)
        client.run(for: 1_000_000)
        #expect(client.rejects.contains { $0.type == .revise && $0.code == .credit })
        #expect(client.level == 64)
        client.perform(.stop(at: 0), of: player)
        client.run(for: 300_000)
        #expect(client.level == 0)
    }

    @Test func aRevisionOfAnotherGenerationIsMadeAgain() throws {
        let client = try #require(LiveClient(.usb, drift: 0, seed: 4))
        let player = client.start(.held(0.5))
        client.run(for: 200_000)
        client.use { [unowned client] session in
            let device = session.clock.deviceTime(at: client.link.now)!.time
            session.send(
                .revise(
                    Revise(
                        stream: 0, generation: client.live.feeder.generation &+ 1,
                        time: device.stamp, level: 250, sharpness: 0,
                        bytes: [0xF1, 0x90, 0x4E, 0x00])))
        }
        client.run(for: 20_000)
        #expect(client.level == 250, "somebody else's")
        client.perform(Self.level(0.5), of: player)
        client.run(for: 100_000)
        #expect(client.rejects.map(\.code) == [.range])
        #expect(client.level == 64)
        client.perform(.stop(at: 0), of: player)
        client.run(for: 300_000)
        #expect(client.level == 0)
    }

    @Test func aStreamThatSomebodyClosedIsOpenedAgain() throws {
        let client = try #require(LiveClient(.usb, drift: 0, seed: 6))
        let player = client.start(.held(0.5))
        client.run(for: 200_000)
        client.use { $0.send(.close(stream: 0)) }
        client.run(for: 1_000_000)
        #expect(client.level == 128)
        client.perform(.stop(at: 0), of: player)
        client.run(for: 300_000)
        #expect(client.level == 0)
    }
}
