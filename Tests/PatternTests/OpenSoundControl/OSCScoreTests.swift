// Tests of the effects of messages: messages to the tool's own addresses, and messages that a rule
// interprets.

import ProgramProtocols
import Testing

@Suite struct OSCScoreTests {
    private func score(_ rules: String = #"{"rules": []}"#) throws -> OSCInterpreter {
        OSCInterpreter(
            rules: try OSCRule.read(Array(rules.utf8)), localities: ["leftHandle", "rightHandle"])
    }

    private func effects(
        _ score: inout OSCInterpreter, _ address: String, _ arguments: [OSCArgument],
        at time: Double = 0
    ) -> [OSCEffect]? {
        let message = OSCMessage(address, arguments)
        guard case .effects(let effects) = score.outcome(of: message, at: time) else { return nil }
        return effects
    }

    private func level(_ intensity: Double, _ key: String, hold: Double? = nil) -> OSCEffect.Kind {
        .level(key: key, intensity: intensity, sharpness: 0.5, hold: hold)
    }

    // MARK: Own addresses

    @Test func ownAddressesTapHoldPlayScaleAndStop() throws {
        var score = try score()
        #expect(
            effects(&score, "/haptic/tap", [.float(0.5), .float(1)])
                == [OSCEffect(.tap(intensity: 0.5, sharpness: 1))])
        #expect(
            effects(&score, "/haptic/tap", []) == [OSCEffect(.tap(intensity: 1, sharpness: 0.5))])
        #expect(
            effects(&score, "/haptic/level", [.int32(1)])
                == [OSCEffect(level(1, "/haptic/level"))])
        #expect(
            effects(&score, "/haptic/leftHandle/level", [.double(0.25)])
                == [OSCEffect(level(0.25, "/haptic/level"), locality: "leftHandle")])
        #expect(
            effects(&score, "/haptic/play", [.string("success")]) == [OSCEffect(.play("success"))])
        #expect(effects(&score, "/haptic/gain", [.float(0.5)]) == [OSCEffect(.gain(0.5))])
        #expect(effects(&score, "/haptic/stop", []) == [OSCEffect(.stop)])
    }

    @Test func valuesOutOfRangeAreMovedToItsEnds() throws {
        var score = try score()
        #expect(
            effects(&score, "/haptic/tap", [.float(7), .float(-1)])
                == [OSCEffect(.tap(intensity: 1, sharpness: 0))])
        #expect(effects(&score, "/haptic/gain", [.int64(-3)]) == [OSCEffect(.gain(0))])
    }

    @Test func aPatternOfOwnAddressesMeansAllOfThem() throws {
        var score = try score()
        let taps = effects(&score, "/haptic/{left,right}Handle/tap", [.float(1)])
        #expect(taps?.map(\.locality) == ["leftHandle", "rightHandle"])
    }

    @Test(
        arguments: [
            ("/haptic/level", []), ("/haptic/level", [.string("1")]), ("/haptic/play", [.float(1)]),
            ("/haptic/level", [.float(.nan)]), ("/haptic/gain", [.float(.infinity)]),
        ] as [(String, [OSCArgument])])
    func otherArgumentsAreUnsuitable(address: String, arguments: [OSCArgument]) throws {
        var score = try score()
        let outcome = score.outcome(of: OSCMessage(address, arguments), at: 0)
        #expect(outcome == .unsuitable)
    }

    @Test(arguments: ["/haptic", "/haptic/nothing", "/haptic/leftTrigger/tap", "/other", "haptic"])
    func otherAddressesAreUnknown(address: String) throws {
        var score = try score()
        let outcome = score.outcome(of: OSCMessage(address, [.float(1)]), at: 0)
        #expect(outcome == .unknown)
    }

    // MARK: Rules

    @Test func aLevelIsMappedByItsRangeAndItsCurve() throws {
        var score = try score(
            #"{"rules": [{"address": "/a*", "mode": "level", "low": 10, "high": 0, "curve": 2}]}"#)
        #expect(effects(&score, "/a", [.int32(5)]) == [OSCEffect(level(0.25, "/a"))])
        #expect(effects(&score, "/ab", [.int32(-5)]) == [OSCEffect(level(1, "/ab"))])
        #expect(effects(&score, "/ab", [.int32(50)]) == [OSCEffect(level(0, "/ab"))])
    }

    @Test func aRiseTapsOnceUntilTheValueHasBeenLow() throws {
        var score = try score(
            #"{"rules": [{"address": "/t", "mode": "tap-on-rise", "low": 0.2, "high": 0.8}]}"#)
        let taps = [0.0, 0.9, 0.5, 0.9, 0.1, 0.7, 0.8].map {
            effects(&score, "/t", [.double($0)])?.count
        }
        #expect(taps == [0, 1, 0, 0, 0, 0, 1])
        var bools = try self.score(#"{"rules": [{"address": "/t", "mode": "tap-on-rise"}]}"#)
        #expect(
            [true, true, false, true].map { effects(&bools, "/t", [.bool($0)])?.count }
                == [1, 0, 0, 1])
    }

    @Test func theSpeedOfAValueIsALevelThatEndsByItself() throws {
        var score = try score(
            #"{"rules": [{"address": "/v", "mode": "velocity", "high": 4}]}"#)
        #expect(effects(&score, "/v", [.float(0)], at: 1) == [OSCEffect(level(0, "/v", hold: 0.2))])
        #expect(
            effects(&score, "/v", [.float(0.125)], at: 1.0625)
                == [OSCEffect(level(0.5, "/v", hold: 0.2))])
        // After a period without messages, the change counts as a change within 0.1 s.
        #expect(
            effects(&score, "/v", [.float(0.325)], at: 9) == [
                OSCEffect(level((Double(Float(0.325)) - 0.125) / 0.1 / 4, "/v", hold: 0.2))
            ])
    }

    @Test func aRulePlaysAPatternAtItsLocality() throws {
        var score = try score(
            """
            {"rules": [{"address": "/hit", "mode": "pattern", "pattern": "success",
                        "locality": "leftHandle"}]}
            """)
        #expect(
            effects(&score, "/hit", []) == [OSCEffect(.play("success"), locality: "leftHandle")])
    }

    @Test func theFirstRuleThatMatchesCounts() throws {
        var score = try score(
            """
            {"rules": [{"address": "/a/b", "mode": "stop"}, {"address": "/a/*", "mode": "gain"}]}
            """)
        #expect(effects(&score, "/a/b", [.float(1)]) == [OSCEffect(.stop)])
        #expect(effects(&score, "/a/c", [.float(1)]) == [OSCEffect(.gain(1))])
        // The address pattern in a sender's message matches the address of a rule.
        #expect(effects(&score, "/a/[b]", []) == [OSCEffect(.stop)])
    }

    @Test func addressesAreKeptOfANumberOnly() throws {
        var score = try score(#"{"rules": [{"address": "/*", "mode": "tap-on-rise"}]}"#)
        let taps = (0..<600).compactMap { effects(&score, "/\($0)", [.int32(1)])?.count }
        #expect(taps.reduce(0, +) == 512)
    }

    @Test(arguments: [
        ("[]", "1:1: the file must contain an object with a list of rules: {\"rules\": […]}"),
        ("{\"rules\": [], \"x\": 1}", "1:15: the only allowed member is \"rules\""),
        ("{\"rules\": [1]}", "1:12: a rule must be an object"),
        ("{\"rules\": [{\"mode\": \"level\"}]}", "1:12: a rule must have an address and a mode"),
        (
            "{\"rules\": [{\"address\": \"a\", \"mode\": \"level\"}]}",
            "1:24: an address must begin with /, and each [ and { must be closed"
        ),
        (
            "{\"rules\": [{\"address\": \"/a\", \"mode\": \"loud\"}]}",
            "1:38: a mode must be one of level, tap-on-rise, velocity, pattern, sharpness, gain, "
                + "envelopes, start, position, stop"
        ),
        (
            "{\"rules\": [{\"address\": \"/a\", \"mode\": \"velocty\"}]}",
            "1:38: a mode must be one of level, tap-on-rise, velocity, pattern, sharpness, gain, "
                + "envelopes, start, position, stop; did you mean velocity?"
        ),
        (
            "{\"rules\": [{\"address\": \"/a\", \"mode\": \"level\", \"low\": 1}]}",
            "1:12: low and high must differ"
        ),
        (
            "{\"rules\": [{\"address\": \"/a\", \"mode\": \"level\", \"curve\": 0}]}",
            "1:56: a number from 0.0625 to 16.0 is expected"
        ),
        (
            "{\"rules\": [{\"address\": \"/a\", \"mode\": \"pattern\"}]}",
            "1:12: a rule with the mode \"pattern\" must have a \"pattern\", the name of a pattern"
        ),
        (
            "{\"rules\":\n[{\"address\": \"/a\", \"mode\": \"level\", \"lo\": 1}]}",
            "2:37: lo is unknown; a rule has address, mode, locality, low, high, curve, sharpness, "
                + "pattern, text; did you mean low?"
        ),
    ])
    func rulesThatAreWrongAreRefusedWithTheirPlace(text: String, expected: String) {
        do throws(OSCRuleError) {
            _ = try OSCRule.read(Array(text.utf8))
            Issue.record("\(text) was read")
        } catch {
            #expect(error.description == expected)
        }
    }

    // MARK: Maps

    @Test func theMapOfVRChatTouchesAndForgets() throws {
        var score = OSCInterpreter(
            rules: try OSCRule.read(OSCMap.vrchat.file), localities: ["leftHandle"])
        #expect(
            effects(&score, "/avatar/parameters/proximity_01", [.float(0.5)])
                == [OSCEffect(level(0.5, "/avatar/parameters/proximity_01"))])
        #expect(
            effects(&score, "/avatar/parameters/bOSC/v2/HandLeft/3/others", [.bool(true)])
                == [OSCEffect(.tap(intensity: 1, sharpness: 0.5), locality: "leftHandle")])
        #expect(effects(&score, "/avatar/change", [.string("avtr_1")]) == [OSCEffect(.stop)])
        let other = score.outcome(of: OSCMessage("/avatar/parameters/Viseme", [.int32(3)]), at: 0)
        #expect(other == .unknown)
    }
}
