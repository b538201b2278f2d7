// Tests of the level of a stream over time.

import HapticCompiler
import TestSupport
import Testing

@Suite struct PlayedLevelTests {
    /// Random streams contain long waits, so the test reads only the first ticks of a wait one by
    /// one.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func theLevelStaysTheSameUntilItsNextChange(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let events = RandomListing.events(count: 60, using: &generator)
        var jumping = PlayedLevel(events) { Ticks($0) }
        var stepping = jumping
        var next: Ticks? = 0
        var wrong: [Ticks] = []
        while let tick = next, tick < 1_000_000 {
            let level = jumping.level(at: tick)
            next = jumping.nextChange(after: tick)
            let end = min(next ?? .max, tick + 5_000)
            let isSame = (tick..<end).allSatisfy { stepping.level(at: $0) == level }
            if !isSame || next.map({ stepping.level(at: $0 - 1) != level }) == true {
                wrong.append(tick)
            }
        }
        #expect(wrong.isEmpty)
    }
}
