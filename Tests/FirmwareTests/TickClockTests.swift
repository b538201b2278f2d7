// Tests that compare ticks on the device's clock, and ramps in ticks (SPEC 5, 6), with exact
// fractions.

import CBridgeFirmware
import TestSupport
import Testing

@Suite struct TickClockTests {
    /// A tick clock that calculates with exact fractions, in units of 2^-24 us, and does not wrap
    /// around.
    private struct Exact {
        var anchor: Int128
        var tick: Int128 = 0
        var scale: Int128

        func time(_ at: UInt32) -> Int128 { anchor + (Int128(at) - tick) * scale }
        func due(_ at: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: time(at) >> 24) }

        mutating func rescale(_ at: UInt32, _ newScale: UInt32) {
            anchor = time(at)
            tick = Int128(at)
            scale = Int128(newScale)
        }
    }

    @Test(arguments: 0..<30)
    func dueTimesAreExactHoweverOftenTheScaleChanges(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var clock = tick_clock()
        let start = UInt32.random(in: 0...UInt32.max, using: &random)
        clock.scale = UInt32.random(in: (1 << 20)...(255 << 24), using: &random)
        tick_clock_anchor(&clock, start)
        var exact = Exact(anchor: Int128(start) << 24, scale: Int128(clock.scale))
        var tick: UInt32 = 0
        for _ in 0..<2_000 {
            tick += UInt32.random(in: 0...40_000, using: &random)
            #expect(tick_clock_due_us(&clock, tick + 0x1F_FFFF) == exact.due(tick + 0x1F_FFFF))
            #expect(tick_clock_due_us(&clock, tick) == exact.due(tick))
            tick_clock_move(&clock, tick)
            if random.chance(oneIn: 20) {
                let scale = UInt32.random(in: (1 << 20)...(255 << 24), using: &random)
                let from = tick + UInt32.random(in: 0...1_000, using: &random)
                tick_clock_set_scale(&clock, from, scale)
                #expect(tick_clock_due_us(&clock, from) == exact.due(from))
                exact.rescale(from, scale)
                tick = from
            }
        }
    }

    @Test func aClockStaysTrueForDays() {
        var clock = tick_clock()
        clock.scale = 250 << 24
        tick_clock_anchor(&clock, 5)
        var tick: UInt32 = 0
        for _ in 0..<3_000 {  // 3,000 steps of five minutes each
            tick += 1_200_000
            let due = UInt32(truncatingIfNeeded: 5 + UInt64(tick) * 250)
            #expect(tick_clock_due_us(&clock, tick) == due)
            tick_clock_move(&clock, tick)
        }
    }
}

@Suite struct RampTests {
    @Test(arguments: 0..<20)
    func valuesAreRoundedHalfUp(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let ends = random.bytes(2)
            let limits: [UInt32] = [10, 300, 5_000, 1 << 23, 535_000_000]
            let span = UInt32.random(in: 1...limits.randomElement(using: &random)!, using: &random)
            let start = UInt32.random(in: 0...UInt32.max, using: &random)
            var shape = ramp(
                to: ends[1], is_moving: true, from: ends[0], start_us: start, end_us: start &+ span)
            for at in [0, span / 2, UInt32.random(in: 0...span, using: &random), span - 1, span] {
                let moved = (Int64(ends[1]) - Int64(ends[0])) * Int64(at)
                let twice = 2 * (Int64(ends[0]) * Int64(span) + moved) + Int64(span)
                #expect(Int64(ramp_value(&shape, start &+ at)) == twice / (2 * Int64(span)))
            }
            #expect(ramp_value(&shape, start &- 1) == ends[0])
            #expect(ramp_value(&shape, start &+ span &+ 1) == ends[1])
        }
    }

    @Test func aRampThatEndedLongAgoHoldsForEver() {
        var shape = ramp(to: 200, is_moving: true, from: 10, start_us: 0, end_us: 1_000)
        for minute in UInt32(0)..<500 {
            let now = minute &* 60_000_000 &+ 5_000
            ramp_age(&shape, now)
            #expect(ramp_value(&shape, now) == 200)
            #expect(ramp_value(&shape, now &+ 10_000) == 200)
        }
    }
}
