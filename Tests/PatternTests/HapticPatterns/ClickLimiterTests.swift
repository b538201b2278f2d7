// Tests, in simulated time, of the limits for the interval between clicks and for the number of
// clicks.

import HapticPatterns
import Testing

@Suite struct ClickLimiterTests {
    /// Returns the times, in microseconds, at which clicks are played if they are requested at
    /// regular intervals.
    private func played(
        every interval: Microseconds, count: Int, _ limiter: inout ClickLimiter
    ) -> [Microseconds] {
        (0..<count).map { Microseconds($0) * interval }
            .filter { limiter.click(at: $0) == .plays }
    }

    @Test func clicksThatAreApartArePlayed() {
        var limiter = ClickLimiter()
        let times = played(every: 125_000, count: 1_000, &limiter)
        #expect(times.count == 1_000)
    }

    @Test func clicksNeverFuse() {
        var limiter = ClickLimiter(spacing: 85_000)
        let times = played(every: 10_000, count: 30, &limiter)
        #expect(times == [0, 90_000, 180_000, 270_000])
        #expect(limiter.click(at: 280_000) == .fuses)
    }

    @Test func aQuickTurnClicksAtEachStepAndALongOneIsThinnedOut() {
        var limiter = ClickLimiter()
        let times = played(every: 40_000, count: 1_000, &limiter)
        // The limit allows 60 clicks immediately, and 8 more per second.
        let quick = times.firstIndex { $0 > 4_000_000 } ?? 0
        #expect(Array(times.prefix(80)) == Array(stride(from: 0, to: 3_200_000, by: 40_000)))
        #expect(quick < 95)
        let last = times.filter { $0 >= 30_000_000 && $0 < 40_000_000 }
        #expect(last.count == 80)
    }

    @Test func aRestGivesBackWhatWasUsed() {
        var limiter = ClickLimiter()
        while limiter.click(at: 0) == .plays { limiter.spacing = 0 }
        #expect(limiter.click(at: 124_999) == .isTooMany)
        #expect(limiter.click(at: 125_000) == .plays)
        var rested = 0
        while limiter.click(at: 60_000_000) == .plays { rested += 1 }
        #expect(rested == ClickLimiter.mostAtOnce)
    }

    @Test func aClockThatGoesBackDoesNotOpenIt() {
        var limiter = ClickLimiter()
        #expect(limiter.click(at: 1_000_000) == .plays)
        #expect(limiter.click(at: 0) == .fuses)
        #expect(limiter.click(at: -1_000_000_000) == .fuses)
        #expect(limiter.click(at: 1_030_000) == .plays)
    }
}
