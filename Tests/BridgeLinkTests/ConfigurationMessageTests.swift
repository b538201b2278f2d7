// The configuration of an actuator as it travels (SPEC 8).

import DRV2605
import Testing

@testable import BridgeLink

@Suite struct ConfigurationMessageTests {
    @Test func isSpelledAsTheVector() throws {
        var made = ActuatorConfiguration(
            kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540,
            chip: .drv2605L, locality: .rightHandle, name: "coin 10mm")
        made.curve = LevelCurve(low: 20, mid: 120, high: 250)
        (made.levelMax, made.sustained, made.budget) = (240, 204, 800)
        made.calibration = .passed
        let payload = Command.configure(made, actuator: 2).payload
        for name in ["CONFIGURE", "CONFIGURATION"] {
            let line = try Vectors.lines("messages.txt").first { $0.contains(" \(name) ") }!
            #expect(payload == hex(line.split(separator: ":")[1]))
        }
        #expect(try ConfigurationAnswer(payload).configuration == made)
    }

    @Test func cutsANameAtAWholeCharacter() throws {
        var made = ActuatorConfiguration(
            kind: .erm, rated: 3_000, overdrive: 3_600, chip: .drv2605L)
        made.name = "Motor größer ü"
        let payload = Command.configure(made, actuator: 0).payload
        #expect(payload.count == 49)
        #expect(try ConfigurationAnswer(payload).configuration.name == "Motor größ")
    }

    /// Checks names that another host has cut in the middle of a character or has written in
    /// Latin-1.
    @Test func aNameThatIsNotUTF8StaysTheSameOnceItWasRead() throws {
        var bytes = ActuatorConfiguration.coinLRA.bytes
        bytes.replaceSubrange(36..., with: repeatElement(0xFF, count: 12))
        let read = try ActuatorConfiguration(bytes: bytes)
        #expect(read.name == "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(try ActuatorConfiguration(bytes: read.bytes) == read)
    }
}
