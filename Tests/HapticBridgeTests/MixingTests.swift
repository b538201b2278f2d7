// Tests of several engines on the same actuator. During thousands of random operations, the tests
// compare the levels with the levels of a deliberately simple mixer.

import BridgeLink
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBridge

@Suite struct MixingTests {
    private static let engines = 5
    private static let players = 2
    private static let operations = 2_000

    /// An engine with its players, and the corresponding reference players.
    private struct Client {
        let engine: MixingRig.Engine
        var players: [ReferencePlayer] = []
        var isMuted = false

        init(on rig: MixingRig, using generator: inout SeededGenerator) {
            engine = rig.start()
            for player in 0..<MixingTests.players {
                let pattern = RandomOperations.pattern(using: &generator)
                _ = rig.perform(.add(PlayerVoice(pattern)), of: UInt64(player), engine)
                players.append(ReferencePlayer(pattern))
            }
        }

        var felt: [ReferencePlayer] { isMuted ? [] : players }
    }

    /// Performs an operation. Returns the time at which the operation takes effect.
    private func operate(
        _ clients: inout [Client], on rig: MixingRig, using generator: inout SeededGenerator
    ) -> HostTime {
        let index = Int.random(in: 0..<Self.engines, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
            rig.stop(clients[index].engine)
            clients[index] = Client(on: rig, using: &generator)
            return rig.now
        case 1, 2:
            clients[index].isMuted.toggle()
            return rig.setMuted(clients[index].isMuted, clients[index].engine)
        default:
            let player = Int.random(in: 0..<Self.players, using: &generator)
            let command = RandomOperations.command(at: rig.now, using: &generator)
            let effect = rig.perform(command, of: UInt64(player), clients[index].engine)
            clients[index].players[player].perform(command, at: effect)
            return effect
        }
    }

    /// Checks a total of 10,000 operations on five engines in the complete proof, and 2,000 in
    /// other runs.
    @Test(arguments: Proof.thinned(1..<6 as Range<UInt64>, every: 5))
    func fiveEnginesAreMixedAsAPlainMixerSays(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rig = try MixingRig()
        var clients: [Client] = []
        for _ in 0..<Self.engines { clients.append(Client(on: rig, using: &generator)) }
        for operation in 0..<Self.operations {
            let called = rig.now
            let effect = operate(&clients, on: rig, using: &generator)
            let references = clients.flatMap(\.felt)
            let settled = max(effect, called) + 10_000
            rig.run(until: settled)
            for _ in 0...Int.random(in: 0...6, using: &generator) {
                rig.run(for: 5_000)
                let wrong = RandomOperations.difference(rig, references, at: rig.now - 2_000)
                try #require(wrong == nil, "after operation \(operation)")
            }
            let missed = RandomOperations.missedTap(
                rig, references, in: settled...(rig.now - 2_000))
            try #require(missed == nil, "after operation \(operation)")
            if operation % 50 == 0 { rig.forgetTrace() }
        }
        for client in clients { rig.stop(client.engine) }
        rig.run(for: 500_000)
        #expect(rig.level(at: rig.now) == 0, "no level is stuck")
        #expect(rig.faults.isEmpty)
    }

    @Test func whatHasHeldALevelHoldsItWhileAnotherEngineComesAndGoes() throws {
        let rig = try MixingRig()
        let held = rig.start()
        _ = rig.perform(.add(PlayerVoice(.held(0.5))), of: 1, held)
        _ = rig.perform(.start(at: 0), of: 1, held)
        rig.run(for: 50_000)
        let begun = rig.now
        for _ in 0..<20 {
            let other = rig.start()
            _ = rig.perform(.add(PlayerVoice(.held(0.25))), of: 1, other)
            _ = rig.perform(.start(at: 0), of: 1, other)
            rig.run(for: 30_000)
            rig.stop(other)
        }
        #expect(rig.levels(since: begun).allSatisfy { $0.value == 128 })
        #expect(held.ends(of: 1) == 0)
        _ = rig.perform(.stop(at: 0), of: 1, held)
        rig.run(for: 50_000)
        #expect(rig.level(at: rig.now) == 0 && held.ends(of: 1) == 1)
    }

    @Test func theEndOfAPlayerIsReportedToItsOwnEngineOnly() throws {
        let rig = try MixingRig()
        let engines = [rig.start(), rig.start(), rig.start()]
        for (number, engine) in engines.enumerated() {
            let pattern = HapticPattern.held(0.5, for: 100_000 * Microseconds(number + 1))
            _ = rig.perform(.add(PlayerVoice(pattern)), of: 1, engine)
            _ = rig.perform(.start(at: 0), of: 1, engine)
        }
        rig.run(for: 150_000)
        #expect(engines.map { $0.ends(of: 1) } == [1, 0, 0])
        rig.run(for: 400_000)
        #expect(engines.map { $0.ends(of: 1) } == [1, 1, 1])
    }
}
