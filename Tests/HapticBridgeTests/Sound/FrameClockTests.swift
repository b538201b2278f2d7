// Tests that estimate the clock of a sound device from observations with jitter, drift and jumps.

import HapticBridge
import Testing

@Suite struct FrameClockTests {
    /// A device that begins to play at a host time, with a sample rate that may be inaccurate.
    private struct Device {
        var origin = 5_000_000.0
        var pace = 1.0
        var state: UInt64 = 1

        func time(of frame: Int64) -> Double { origin + Double(frame) * pace / 0.048 }

        mutating func jitter(_ most: Double) -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Double(state >> 33) / Double(1 << 31) * 2 - 1) * most
        }
    }

    private func observe(
        _ device: inout Device, _ clock: inout FrameClock, blocks: Range<Int>, jitter: Double = 0
    ) {
        for block in blocks {
            let frame = Int64(block) * 480
            clock.observe(frame: frame, at: device.time(of: frame) + device.jitter(jitter))
        }
    }

    @Test func knowsNothingBeforeTheFirstObservation() {
        let clock = FrameClock()
        #expect(clock.time(ofFrame: 0) == nil)
        #expect(!clock.isSettled)
    }

    @Test func isSettledAfterAFifthOfASecond() {
        var (clock, device) = (FrameClock(), Device())
        observe(&device, &clock, blocks: 0..<19)
        #expect(!clock.isSettled)
        observe(&device, &clock, blocks: 19..<20)
        #expect(clock.isSettled)
        #expect(clock.time(ofFrame: 48_000) == 6_000_000)
    }

    @Test func isSettledAfterASecondWhateverTheDeviceSays() {
        var (clock, device) = (FrameClock(), Device())
        observe(&device, &clock, blocks: 0..<99, jitter: 40_000)
        #expect(!clock.isSettled)
        observe(&device, &clock, blocks: 99..<100, jitter: 40_000)
        #expect(
            clock.isSettled, "the clock settles because later observations are not more accurate")
    }

    @Test func jitterOfMillisecondsIsAveraged() throws {
        var (clock, device) = (FrameClock(), Device())
        observe(&device, &clock, blocks: 0..<200, jitter: 3_000)
        let time = try #require(clock.time(ofFrame: 96_000))
        #expect(abs(time - device.time(of: 96_000)) < 700)
    }

    @Test func singleOutliersDoNotMatter() {
        var (clock, device) = (FrameClock(), Device())
        observe(&device, &clock, blocks: 0..<100)
        clock.observe(frame: 48_000, at: 9_000_000)
        #expect(clock.time(ofFrame: 48_000) == 6_000_000)
    }

    @Test func driftIsFollowedWithinATenthOfAMillisecond() throws {
        var (clock, device) = (FrameClock(), Device())
        device.pace = 1.0001
        observe(&device, &clock, blocks: 0..<6_000)
        let time = try #require(clock.time(ofFrame: 6_000 * 480))
        #expect(abs(time - device.time(of: 6_000 * 480)) < 100)
    }

    @Test func aJumpIsNoticedWithinATenthOfASecond() throws {
        var (clock, device) = (FrameClock(), Device())
        observe(&device, &clock, blocks: 0..<200)
        device.origin += 25_000
        observe(&device, &clock, blocks: 200..<208)
        #expect(clock.time(ofFrame: 0) == 5_025_000)
    }

    @Test func aTimelineFollowsWithoutABreak() {
        var timeline = FrameTimeline()
        var end = timeline.next(480, audibleAt: 1_000, isSilent: true).start + 10_000
        for _ in 0..<100 {
            let (start, step) = timeline.next(480, audibleAt: end + 500, isSilent: false)
            #expect(abs(start - end) < 0.001)
            #expect(abs(step * 48_000 / 1_000_000 - 1) <= 0.002_001)
            end = start + step * 480
        }
    }

    @Test func aTimelineMakesADeviationGood() {
        var timeline = FrameTimeline()
        var target = 0.0
        _ = timeline.next(480, audibleAt: target, isSilent: false)
        var start = 0.0
        for _ in 0..<300 {
            target += 10_000
            start = timeline.next(480, audibleAt: target + 800, isSilent: false).start
        }
        #expect(abs(start - (target + 800)) < 10)
    }

    @Test func aTimelineJumpsInSilenceAndAfterALongBreak() {
        var timeline = FrameTimeline()
        _ = timeline.next(480, audibleAt: 0, isSilent: false)
        #expect(timeline.next(480, audibleAt: 12_000, isSilent: true).start == 12_000)
        #expect(timeline.next(480, audibleAt: 90_000, isSilent: false).start == 90_000)
    }
}
