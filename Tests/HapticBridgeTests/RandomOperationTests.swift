// Tests that perform thousands of random operations on players, and compare the levels with the
// levels of a deliberately simple mixer.

import BridgeLink
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBridge

@Suite struct RandomOperationTests {
    private static let players = 6
    private static let operations = 2_000

    @Test(arguments: Proof.thinned(1..<9 as Range<UInt64>, every: 8))
    func whatIsPlayedIsWhatAPlainMixerSays(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rig = LiveRig(stride: 500)
        var references: [ReferencePlayer] = []
        for _ in 0..<Self.players {
            let pattern = RandomOperations.pattern(using: &generator)
            _ = rig.player(pattern)
            references.append(ReferencePlayer(pattern))
        }
        for operation in 0..<Self.operations {
            let index = Int.random(in: 0..<Self.players, using: &generator)
            let command = RandomOperations.command(at: rig.now, using: &generator)
            let (called, effect) = rig.carryOut(command, of: PlayerID(number: UInt64(index + 1)))
            try #require(rig.now - called <= 10_000, "the change is still pending")
            references[index].perform(command, at: effect)
            // The comparison of levels begins 10 ms after the operation.
            let quiet = Microseconds.random(in: 0...30_000, using: &generator)
            let settled = effect + 10_000
            rig.run(until: settled)
            for _ in 0...(quiet / 5_000) {
                rig.run(for: 5_000)
                let wrong = RandomOperations.difference(rig, references, at: rig.now - 2_000)
                let message = wrong.map { "\($0) after \(operation): \(command) of \(index)" }
                try #require(message == nil)
            }
            let missed = RandomOperations.missedTap(
                rig, references, in: settled...(rig.now - 2_000))
            let message = missed.map { "\($0) after \(operation): \(command) of \(index)" }
            try #require(message == nil)
            if operation % 50 == 0 { rig.forgetTrace() }
        }
        for player in 1...Self.players {
            rig.perform(.cancel, of: PlayerID(number: UInt64(player)))
        }
        rig.run(for: 500_000)
        #expect(rig.level(at: rig.now) == 0, "no level is stuck")
        #expect(rig.troubles.isEmpty && rig.faults.isEmpty)
    }
}
