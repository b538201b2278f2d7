// Tests that contexts share no state: each of many simultaneous boards behaves as it would alone.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct ContextTests {
    /// A board, a pattern that a host plays on the board, and a record of all actions and messages
    /// of the board. A seed determines the board and the pattern.
    private struct Life {
        let bench = Bench()
        let pattern: [UInt8]
        private var random: SeededGenerator

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            var code: [UInt8] = []
            for _ in 0..<12 {
                let values = random.bytes(3)
                code += [
                    [0xB1, values[0] & 0x7F, values[1]],
                    [0x91, values[0] & 0x7F, values[1], values[2]],
                ]
                .randomElement(using: &random)!
            }
            pattern = code + [0xF1, 40, 0x00]
        }

        func begin() {
            bench.connect(session: 0xABCD_0000 + UInt32(pattern[1]))
            bench.load(pattern)
            bench.start(at: bench.now + 10_000)
        }

        var trace: [BusTransaction] { bench.board.transactions }
        var words: [Heard] { bench.heard }
    }

    @Test func twentyBoardsInterleavedDoWhatEachDoesAlone() {
        let together = (0..<20).map { Life(seed: $0) }
        for life in together { life.begin() }
        let begun = together.map { $0.bench.now }
        for step in 1...500 {
            for (life, start) in zip(together, begun) {
                life.bench.run(to: start + BoardTime(step) * 1_000)
            }
        }
        for seed in 0..<20 {
            let alone = Life(seed: UInt64(seed))
            alone.begin()
            for step in 1...500 { alone.bench.run(to: begun[seed] + BoardTime(step) * 1_000) }
            #expect(alone.trace == together[seed].trace, "seed \(seed)")
            #expect(alone.words == together[seed].words, "seed \(seed)")
        }
    }

    @Test func aContextCanBeCopiedInTheMiddleOfATap() {
        // The only pointers are those of the streams, which point into the event memory of their
        // own context.
        let bench = Bench.connected()
        let start = bench.play([0xB0, 100, 0x91, 40, 250, 0, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 15_000)
        let copy = UnsafeMutablePointer<bridge>.allocate(capacity: 1)
        defer { copy.deallocate() }
        copy.initialize(to: bench.core)
        let clock = bench.board.deviceClock(at: bench.now + 40_000)
        #expect(bridge_take_due(copy, clock) || bridge_take_untimed(copy, clock))
        #expect(bench.core.bus_owner == UInt8(BRIDGE_BUS_FREE.rawValue))
        bench.run(to: start + 34_000)
        #expect(bench.drive == 100)
    }
}
