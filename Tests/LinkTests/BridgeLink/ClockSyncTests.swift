import TestSupport
import Testing

@testable import BridgeLink

@Suite struct ClockSyncTests {
    /// The host time at which the exchanges of clock messages begin.
    private let start: HostTime = 0

    /// A device whose clock is ahead of the host's clock by `offset` at time 0 and runs faster by
    /// `drift` ppm.
    private struct Device {
        var offset: Microseconds = 0
        var drift = 0.0

        func time(at host: HostTime) -> DeviceTime {
            let gained = Microseconds(
                (Double(host.microseconds) * drift / 1_000_000).rounded(.down))
            return DeviceTime(microseconds: host.microseconds + offset + gained)
        }

        /// Adds an exchange with the given line delays to `clock`.
        func exchange(
            at sent: HostTime, there: Microseconds, processing: Microseconds = 100,
            back: Microseconds, in clock: inout ClockSync
        ) {
            let reply = ClockReply(
                received: time(at: sent + there).stamp,
                transmitted: time(at: sent + there + processing).stamp)
            clock.add(reply, sent: sent, received: sent + there + processing + back)
        }
    }

    @Test func oneExchangeLeavesHalfItsDelaysOpen() {
        var clock = ClockSync()
        Device(offset: 500).exchange(at: 1_000_000, there: 2_000, back: 2_000, in: &clock)
        let estimate = clock.deviceTime(at: 1_002_050)!
        #expect(estimate.time == 1_002_550)
        #expect((2_000...2_030).contains(estimate.errorBound))
        #expect(clock.hostTime(ofDevice: 1_002_550)?.time == 1_002_050)
    }

    @Test func eachWaysShortestDelayCountsForItself() {
        var clock = ClockSync()
        let device = Device(offset: 7_000)
        for index in 0..<8 as Range<Microseconds> {
            device.exchange(
                at: start + index * 50_000, there: index == 3 ? 300 : 9_000,
                back: index == 5 ? 300 : 16_000, in: &clock)
        }
        let estimate = clock.deviceTime(at: 260_000)!
        #expect(abs(estimate.time - 267_000) <= 10)
        #expect((300...1_000).contains(estimate.errorBound))
    }

    @Test(arguments: [0.0, 40, -100, 5_000, -5_000])
    func theBoundHoldsForEveryExchange(drift: Double) {
        var random = SeededGenerator(seed: 8)
        var clock = ClockSync()
        let device = Device(offset: 123_456, drift: drift)
        for index in 0..<600 as Range<Microseconds> {
            let now = start + 1_000_000 + index * 50_000
            device.exchange(
                at: now, there: .random(in: 300...20_000, using: &random),
                back: .random(in: 300...20_000, using: &random), in: &clock)
            let then = now + .random(in: 0...200_000, using: &random)
            let estimate = clock.deviceTime(at: then)!
            #expect(abs(estimate.time - device.time(at: then)) <= estimate.errorBound)
        }
    }

    @Test(arguments: [30.0, 5_000, -5_000])
    func findsTheDriftOfTheDevicesClock(drift: Double) {
        var random = SeededGenerator(seed: 3)
        var clock = ClockSync()
        let device = Device(offset: -40, drift: drift)
        for index in 0..<200 as Range<Microseconds> {
            device.exchange(
                at: start + index * 100_000, there: .random(in: 50...1_000, using: &random),
                back: .random(in: 50...1_000, using: &random), in: &clock)
        }
        #expect(abs((clock.rate - 1) * 1_000_000 - drift) < 5)
        let estimate = clock.deviceTime(at: 20_000_000)!
        #expect(abs(estimate.time - device.time(at: 20_000_000)) <= 40)
        #expect(estimate.errorBound <= 120)
        let back = clock.hostTime(ofDevice: device.time(at: 19_000_000))!
        #expect(abs(back.time - 19_000_000) <= back.errorBound)
    }

    @Test func forgetsWhatWasBeforeTheClockWasSet() {
        var clock = ClockSync()
        for index in 0..<40 as Range<Microseconds> {
            let device = Device(offset: index < 20 ? 0 : 900_000)
            device.exchange(at: start + index * 50_000, there: 300, back: 300, in: &clock)
        }
        #expect(clock.samples.count == 20)
        #expect(clock.deviceTime(at: 2_000_000)!.time == 2_900_000)
    }

    @Test func aSampleThatCannotBeTrueMovesNothing() {
        var random = SeededGenerator(seed: 12)
        var clock = ClockSync()
        let device = Device(offset: 7_000, drift: 40)
        for index in 0..<300 as Range<Microseconds> {
            // Occasionally, a time stamp is 3 ms late or early.
            let strays: Microseconds = index % 40 == 17 ? (index % 80 == 17 ? 3_000 : -3_000) : 0
            Device(offset: device.offset + strays, drift: 40).exchange(
                at: start + index * 85_000, there: .random(in: 50...1_000, using: &random),
                back: .random(in: 50...1_000, using: &random), in: &clock)
            guard index > 30 else { continue }
            let estimate = clock.deviceTime(at: start + index * 85_000)!
            let error = abs(estimate.time - device.time(at: start + index * 85_000))
            #expect(error <= estimate.errorBound && error <= 100)
            #expect(estimate.errorBound <= 350)
        }
    }

    @Test func aClockThatJittersIsKnownAsWellAsItGoes() {
        var random = SeededGenerator(seed: 13)
        var clock = ClockSync()
        let device = Device(offset: 7_000, drift: 40)
        for index in 0..<700 as Range<Microseconds> {
            let strays = Device(
                offset: device.offset + .random(in: -150...150, using: &random), drift: 40)
            strays.exchange(
                at: start + index * 85_000, there: .random(in: 50...1_000, using: &random),
                back: .random(in: 50...1_000, using: &random), in: &clock)
            guard index > 50 else { continue }
            let estimate = clock.deviceTime(at: start + index * 85_000)!
            let error = abs(estimate.time - device.time(at: start + index * 85_000))
            #expect(error <= 250 && estimate.errorBound <= 500)
        }
    }

    /// Checks that slowly growing outliers do not raise the limit of 640 µs.
    @Test func straysPastTheLimitAreNotTakenForJitter() {
        var clock = ClockSync()
        var now: HostTime = 0
        for stray in [0, 500, 570, 640, 710, 770, 830, 900, 1_000] as [Microseconds] {
            for _ in 0..<20 {
                for offset in [stray, -stray] {
                    now += 85_000
                    Device(offset: offset).exchange(at: now, there: 50, back: 50, in: &clock)
                }
            }
            #expect(clock.deviceTime(at: now)!.errorBound <= 2_000)
        }
    }

    @Test func followsAClockThatChangesItsRate() {
        var random = SeededGenerator(seed: 14)
        var clock = ClockSync()
        let before = Device(offset: 7_000)
        let after = Device(offset: 7_000 - 10_000_000 * 500 / 1_000_000, drift: 500)
        for index in 0..<300 as Range<Microseconds> {
            let now = start + index * 85_000
            let device = now < 10_000_000 ? before : after
            device.exchange(
                at: now, there: .random(in: 50...400, using: &random),
                back: .random(in: 50...400, using: &random), in: &clock)
            guard now > 500_000 else { continue }
            let error = abs(clock.deviceTime(at: now)!.time - device.time(at: now))
            #expect(error <= 600)
            if now > 13_000_000 { #expect(error <= 100) }
        }
    }

    @Test func keepsHalfAMinuteOfSamples() {
        var clock = ClockSync()
        for index in 0..<100 as Range<Microseconds> {
            Device().exchange(at: start + index * 1_000_000, there: 300, back: 300, in: &clock)
        }
        #expect((30...32).contains(clock.samples.count))
    }

    @Test func staysTrueWhenTheDevicesClockWraps() {
        var clock = ClockSync()
        let device = Device(offset: 0xFC6C_7900)
        clock.recordStamp(0xFC6C_7900, at: 0)
        for now in stride(from: HostTime(0), to: 120_000_000, by: 984_000) {
            device.exchange(at: now, there: 500, back: 500, in: &clock)
            #expect(clock.deviceTime(at: now)!.time == device.time(at: now))
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
        var line = ModelDeviceLink(clock: ClockSchedule())
        line.connect()
        line.run(milliseconds: 2_000)
        let atFirst = line.session.clock.samples.count
        #expect((80...90).contains(atFirst))
        line.run(milliseconds: 10_000)
        #expect((25...32).contains(line.session.clock.samples.count - atFirst))
        #expect(line.session.clock.deviceTime(at: line.now) != nil)
    }

    /// Checks the phases within a USB frame at which samples are taken, at each stage of a session.
    @Test(arguments: [1, 30, 400, 20_000])
    func twentySamplesLeaveNoGapOfMoreThanATenthOfAFrame(first: Int) {
        let earliest: HostTime = 5_123_457
        let times = (first..<first + 20).map { ClockSchedule.time(of: $0, from: earliest) }
        #expect(times.allSatisfy { (0..<1_000).contains($0 - earliest) })
        let phases = times.map { $0.microseconds % 1_000 }.sorted()
        let gaps = zip(phases, phases.dropFirst() + [phases[0] + 1_000]).map { $1 - $0 }
        #expect(gaps.max()! <= 100, "\(phases)")
    }
}
