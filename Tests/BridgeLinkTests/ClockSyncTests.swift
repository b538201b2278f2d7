import TestSupport
import Testing

@testable import BridgeLink

@Suite struct ClockSyncTests {
    /// An exchange with the device's clock `offset` ahead and these times on the line.
    private func exchange(
        at sent: Microseconds, offset: Microseconds, there: Microseconds,
        processing: Microseconds = 100, back: Microseconds, in clock: inout ClockSync
    ) {
        let arrival = sent + there + offset
        let reply = ClockReply(
            received: UInt32(truncatingIfNeeded: arrival),
            transmitted: UInt32(truncatingIfNeeded: arrival + processing))
        clock.add(reply, sent: sent, received: sent + there + processing + back)
    }

    @Test func takesTheMiddleOfTheExchange() {
        var clock = ClockSync()
        exchange(at: 1_000_000, offset: 500, there: 2_000, back: 2_000, in: &clock)
        let estimate = clock.deviceTime(at: 1_002_050)!
        #expect(estimate == ClockEstimate(time: 1_002_550, errorBound: 2_000))
        #expect(clock.hostTime(ofDevice: 1_002_550, at: 1_002_050)?.time == 1_002_050)
    }

    @Test func trustsTheShortestRoundTrip() {
        var clock = ClockSync()
        for index in 0..<8 as Range<Microseconds> {
            let delay: Microseconds = index == 3 ? 300 : 16_000
            exchange(at: index * 50_000, offset: 7_000, there: 300, back: delay, in: &clock)
        }
        let estimate = clock.deviceTime(at: 400_000)!
        #expect(estimate.time == 407_000)
        #expect(estimate.errorBound == 300 + (400_000 - 150_350) / 200)
    }

    @Test func theBoundHoldsForEveryExchange() {
        var random = SeededGenerator(seed: 8)
        var clock = ClockSync()
        for index in 0..<200 as Range<Microseconds> {
            let now = 1_000_000 + index * 50_000
            exchange(
                at: now, offset: 123_456, there: .random(in: 300...20_000, using: &random),
                back: .random(in: 300...20_000, using: &random), in: &clock)
            let estimate = clock.deviceTime(at: now)!
            #expect(abs(estimate.time - (now + 123_456)) <= estimate.errorBound)
        }
    }

    @Test func staysTrueWhenTheDevicesClockWraps() {
        var clock = ClockSync()
        let offset: Microseconds = 0xFC6C_7900
        clock.noteStamp(0xFC6C_7900, at: 0)
        for now in stride(from: Microseconds(0), to: 120_000_000, by: 984_000) {
            exchange(at: now, offset: offset, there: 500, back: 500, in: &clock)
            #expect(clock.deviceTime(at: now)!.time == now + offset)
        }
        #expect(clock.extend(5, near: 60_000_000) == 0x1_0000_0005)
        #expect(clock.extend(0xFFFF_FFFF, near: 60_100_000) == 0xFFFF_FFFF)
    }

    @Test func leavesOutWhatCannotBe() {
        var clock = ClockSync()
        #expect(
            clock.add(ClockReply(received: 100, transmitted: 50), sent: 0, received: 500) == false)
        #expect(
            clock.add(ClockReply(received: 0, transmitted: 900), sent: 0, received: 500) == false)
        #expect(clock.deviceTime(at: 0) == nil)
    }

    @Test func aSessionSamplesDenselyAtFirst() {
        var line = ModelLine(clock: ClockSchedule())
        line.connect()
        line.run(milliseconds: 500)
        #expect((7...9).contains(line.session.clock.samples.count))
        line.run(milliseconds: 2_000)
        #expect((9...11).contains(line.session.clock.samples.count))
        #expect(line.session.clock.deviceTime(at: line.now) != nil)
    }
}
