// Tests that determine the first time at which a pattern differs from its previous version.

import HapticPatterns
import Testing
import ToolSupport

@Suite struct PatternChangeTests {
    private func tap(_ time: Microseconds, _ intensity: Double = 1) -> HapticEvent {
        HapticEvent(.hapticTransient, time: time, intensity: intensity)
    }

    private func curve(_ points: (Microseconds, Double)..., at time: Microseconds = 0)
        -> HapticParameterCurve
    {
        HapticParameterCurve(
            .hapticIntensityControl, time: time,
            points: points.map { .init(time: $0, value: $1) })
    }

    private func change(_ one: HapticPattern, _ other: HapticPattern) -> Microseconds? {
        let there = other.firstChange(since: one)
        #expect(there == one.firstChange(since: other))
        return there
    }

    @Test func aPatternThatIsTheSameHasNotChanged() {
        let pattern = HapticPattern(events: [tap(0), tap(5)], curves: [curve((0, 1), (9, 0))])
        #expect(change(pattern, pattern) == nil)
    }

    @Test func anEventThatIsAddedMovedOrStrongerHasChangedAtItsStart() {
        let one = HapticPattern(events: [tap(0), tap(500), tap(900)])
        #expect(change(one, HapticPattern(events: [tap(0), tap(500)])) == 900)
        #expect(change(one, HapticPattern(events: [tap(0), tap(500), tap(700), tap(900)])) == 700)
        #expect(change(one, HapticPattern(events: [tap(0), tap(300), tap(900)])) == 300)
        #expect(change(one, HapticPattern(events: [tap(0), tap(500, 0.5), tap(900)])) == 500)
        #expect(change(one, HapticPattern()) == 0)
    }

    @Test func aCurveHasChangedAtTheLastPointThatIsAsItWas() {
        let one = HapticPattern(curves: [curve((0, 1), (100, 0.5), (300, 0), at: 1_000)])
        let lower = HapticPattern(curves: [curve((0, 1), (100, 0.5), (300, 0.2), at: 1_000)])
        #expect(change(one, lower) == 1_100)
        #expect(change(one, HapticPattern(curves: [curve((0, 1), at: 1_000)])) == 1_000)
        #expect(change(one, HapticPattern(curves: [curve((0, 1), (100, 0.5), at: 700)])) == 700)
        #expect(change(one, HapticPattern()) == 1_000)
    }

    /// The first changed curve in the list may change at a later time than another curve in the
    /// list.
    @Test func theEarliestOfSeveralChangedCurvesCounts() {
        let long = [curve((0, 1), (800, 0)), curve((0, 1), (800, 0.5))]
        let one = HapticPattern(curves: [curve((0, 1), (800, 0), (900, 1)), curve((0, 1), at: 300)])
        let other = HapticPattern(
            curves: [curve((0, 1), (800, 0), (900, 0)), curve((0, 0), at: 300)])
        #expect(change(one, other) == 300)
        #expect(change(HapticPattern(curves: [long[0]]), HapticPattern(curves: [long[1]])) == 0)
    }

    @Test func aParameterHasChangedAtItsTime() {
        let one = HapticPattern(
            events: [tap(0)],
            parameters: [HapticDynamicParameter(.hapticIntensityControl, time: 400, value: 1)])
        #expect(change(one, HapticPattern(events: [tap(0)])) == 400)
    }
}
