// Tests of the levels that senders hold, and of the times in bundles.

import ProgramProtocols
import Testing

@Suite struct OSCLevelsTests {
    private func level(_ intensity: Double) -> OSCLevels.Level {
        OSCLevels.Level(intensity: intensity, sharpness: 0.5)
    }

    private func hold(
        _ levels: inout OSCLevels, _ level: OSCLevels.Level, of key: String, at locality: String?,
        until end: Double
    ) -> Bool {
        levels.hold(level, of: key, at: locality, until: end)
    }

    @Test func theGreatestLevelOfALocalityIsFelt() {
        var levels = OSCLevels()
        #expect(hold(&levels, level(0.2), of: "/a", at: nil, until: 10))
        #expect(hold(&levels, level(0.7), of: "/b", at: nil, until: 10))
        #expect(hold(&levels, level(1), of: "/b", at: "leftHandle", until: 10))
        #expect(levels.level(at: nil) == level(0.7))
        #expect(hold(&levels, level(0), of: "/b", at: nil, until: 10))
        #expect(levels.level(at: nil) == level(0.2))
        #expect(levels.level(at: "rightHandle") == .rest)
    }

    @Test func aLevelThatIsNotRenewedFallsToRest() {
        var levels = OSCLevels()
        #expect(hold(&levels, level(0.2), of: "/a", at: nil, until: 15))
        #expect(hold(&levels, level(0.3), of: "/b", at: nil, until: 16))
        let early = levels.expire(at: 14.9)
        #expect(early.count == 0)
        let expired = levels.expire(at: 15)
        #expect(expired.count == 1 && expired.localities == [nil])
        #expect(levels.level(at: nil) == level(0.3))
        // A message restarts the hold time, regardless of its value.
        #expect(hold(&levels, level(0.3), of: "/b", at: nil, until: 30))
        let renewed = levels.expire(at: 29)
        #expect(renewed.count == 0)
    }

    @Test func aStopReleasesALocalityOrAll() {
        var levels = OSCLevels()
        _ = levels.hold(level(0.2), of: "/a", at: nil, until: 15)
        _ = levels.hold(level(0.2), of: "/a", at: "leftHandle", until: 15)
        levels.release(at: "leftHandle")
        #expect(levels.level(at: "leftHandle") == .rest && levels.level(at: nil) == level(0.2))
        levels.release(at: nil)
        #expect(levels.isEmpty)
    }

    @Test func aFloodOfAddressesIsKeptOutAndRestAlwaysGetsIn() {
        var levels = OSCLevels()
        let accepted = (0..<1000).count { levels.hold(level(1), of: "/\($0)", at: nil, until: 15) }
        #expect(accepted == 256)
        #expect(hold(&levels, level(0), of: "/0", at: nil, until: 15))
        #expect(hold(&levels, level(1), of: "/new", at: nil, until: 15))
    }

    @Test func theTimeOfABundleIsOneOfTheReceiversClock() {
        let now = OSCTimeTag(unixTime: 1000)
        #expect(OSCTiming(.immediately, now: 5, unixTime: 1000) == .atOnce)
        #expect(OSCTiming(now, now: 5, unixTime: 1000) == .at(5))
        #expect(OSCTiming(OSCTimeTag(unixTime: 1000.5), now: 5, unixTime: 1000) == .at(5.5))
        #expect(OSCTiming(OSCTimeTag(unixTime: 1010), now: 5, unixTime: 1000) == .at(15))
        #expect(OSCTiming(OSCTimeTag(unixTime: 1010.5), now: 5, unixTime: 1000) == .tooEarly(10.5))
        #expect(OSCTiming(OSCTimeTag(unixTime: 999.5), now: 5, unixTime: 1000) == .late(0.5))
    }
}
