// Tests of the encoded configuration of an actuator (SPEC 8).

import DRV2605
import Testing

@testable import BridgeLink

@Suite struct ConfigurationMessageTests {
    @Test func isSpelledAsTheVector() throws {
        var made = ActuatorConfiguration(
            kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540,
            chip: .drv2605L, locality: .rightHandle, name: "coin 10mm")
        made.tapDull = 23_529
        made.curve = LevelCurve(low: 20, mid: 120, high: 250)
        (made.levelMax, made.sustained, made.budget) = (240, 204, 800)
        made.calibration = .passed
        (made.timeConstant, made.acceleration) = (187, 1_500)
        (made.startVoltage, made.runningVoltage) = (2_000, 800)
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
        #expect(payload.count == 57)
        #expect(try ConfigurationAnswer(payload).configuration.name == "Motor größ")
    }

    /// Checks names that another host has truncated in the middle of a character or has encoded in
    /// Latin-1.
    @Test func aNameThatIsNotUTF8StaysTheSameOnceItWasRead() throws {
        var bytes = ActuatorConfiguration.coinLRA.bytes
        bytes.replaceSubrange(36..<48, with: repeatElement(0xFF, count: 12))
        let read = try ActuatorConfiguration(bytes: bytes)
        #expect(read.name == "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(try ActuatorConfiguration(bytes: read.bytes) == read)
    }

    /// Checks the CONFIGURATION message of an older device, which has no plant model of its
    /// actuators.
    @Test(arguments: [49, 51, 53, 55])
    func whatAnOlderDeviceLeavesOutIsZero(count: Int) throws {
        let whole = [3] + ActuatorConfiguration.coinERM.bytes
        let read = try ConfigurationAnswer(Array(whole.prefix(count)))
        var expected = ActuatorConfiguration.coinERM
        if count < 51 { expected.timeConstant = 0 }
        if count < 53 { expected.acceleration = 0 }
        if count < 55 { expected.startVoltage = 0 }
        expected.runningVoltage = 0
        #expect(read == ConfigurationAnswer(actuator: 3, configuration: expected))
        #expect(throws: MessageError.tooShort(count: 48, needed: 49)) {
            try ConfigurationAnswer(Array(whole.prefix(48)))
        }
    }

    /// Checks the bytes that an older version has stored in a file or on a board.
    @Test func storedBytesOfAnOlderVersionHaveNoPlant() throws {
        let read = try ActuatorConfiguration(
            bytes: Array(ActuatorConfiguration.coinLRA.bytes.prefix(48)))
        #expect(read.plant == ActuatorPlant(timeConstant: 0, acceleration: 0))
        #expect(read.bytes.count == 56)
        #expect(read.bytes.suffix(8).allSatisfy { $0 == 0 })
    }
}
