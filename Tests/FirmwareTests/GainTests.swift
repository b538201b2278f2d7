// Tests that GAIN and MUTE (SPEC 4.3, 4.4, 6) immediately affect playing levels and levels rendered
// ahead.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct GainTests {
    @Test func gainReachesAHeldLevelAtOnce() {
        let bench = Bench.connected()
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 50_000)
        bench.send(bench.nextCommand(0x46, [1, 0, 128]))
        let arrival = bench.now + 11 * 40
        bench.run(for: 10_000)
        let write = bench.levels.last!
        #expect(write.value == 100)  // (200 * 128 + 127) / 255
        #expect((arrival...arrival + 400).contains(write.time))
        #expect(bench.status().gain == 128)
        bench.command(0x46, [1, 0, 255])
        #expect(bench.drive == 200)
    }

    @Test func gainReachesATapThatSoundsAndOneThatIsRendered() {
        // The stream contains dull taps at 0 and 50 ms. The gain changes at 10 ms, and again at 45
        // ms, when the second tap has already been rendered.
        let bench = Bench.connected()
        let start = bench.play([0x90, 200, 0, 0x91, 0xC8, 0x01, 100, 0, 0xF1, 0x90, 0x03, 0x00])
        bench.run(to: start + 10_000)
        bench.command(0x46, [1, 0, 51])
        #expect(bench.drive == 40)
        bench.run(to: start + 40_500)
        bench.command(0x46, [1, 0, 204])
        bench.run(to: start + 60_000)
        #expect(
            bench.playedLevels(from: start).suffix(1) == [LevelWrite(time: 50_000, value: 80)])
    }

    @Test func gainScalesARampStepByStep() {
        let bench = Bench.connected()
        bench.command(0x46, [1, 0, 102])
        let start = bench.play([0xD0, 250, 0x90, 0x03, 0xF2])
        bench.run(to: start + 150_000)
        for write in bench.playedLevels(from: start) where write.time < 100_000 {
            let level = Int((Double(write.time) / 400 + 0.5).rounded(.down))
            #expect(Int(write.value) == (level * 102 + 127) / 255)
        }
    }

    @Test func muteIsSilenceAndEndsWithThePresentLevel() {
        let bench = Bench.connected()
        let start = bench.play([0xD0, 200, 0xA0, 0x06, 0x91, 40, 250, 0, 0xF2])
        bench.run(to: start + 15_000)
        bench.ask(0x11, [1, 1, 0, 1])
        #expect(bench.frames(0x91).map(\.payload) == [[1]])
        #expect(bench.drive == 0)
        #expect(bench.status().state.contains(.muted))
        #expect(!bench.status().state.contains(.driving))
        bench.forget()
        bench.run(to: start + 100_000)
        #expect(bench.levels.allSatisfy { $0.value == 0 })
        bench.ask(0x11, [1, 1, 0, 0])  // the same id: answered without being executed
        #expect(bench.drive == 0)
        bench.ask(0x11, [2, 1, 0, 0])
        let level = Double(bench.now - start) / 1_000
        #expect(abs(Double(bench.drive) - level) <= 6)
        #expect(!bench.status().state.contains(.muted))
    }

    /// Checks a level that is corrupted on the bus. A GAIN or MUTE message that does not change the
    /// level must not cause a rewrite of the level, which would hide the corruption from the next
    /// check and therefore from the budget.
    @Test func aLevelWhoseValueStaysIsLeftToTheNextLook() {
        let bench = Bench.connected()
        bench.provoked = [.damagedBytes]
        let start = bench.play([0xB0, 200, 0xF1, 0xA0, 0x1F, 0x00])
        bench.run(to: start + 10_000)
        drv2605_model_inject_damage(bench.chip, 0x80)
        bench.command(0x46, [1, 0, 128])
        bench.command(0x46, [1, 0, 128])
        bench.ask(0x11, [1, 1, 0, 0])
        #expect(bench.drive == 228 && bench.status().faults.isEmpty)
        bench.run(for: 150_000)
        #expect(bench.drive == 100 && bench.status().faults == [.bus])
    }

    @Test func muteIgnoresActuatorsThatDoNotExistAndGainRefusesThem() {
        let bench = Bench.connected()
        #expect(bench.ask(0x11, [1, 0xFE, 0xFF, 1]) == nil)
        #expect(!bench.status().state.contains(.muted))
        let reject = bench.command(0x46, [3, 0, 1])
        #expect(reject == Reject(type: .gain, code: .noActuator, offset: 0, limit: 1))
        #expect(bench.command(0x46, [0, 0, 1])?.code == .noActuator)
    }

    @Test(arguments: [(0, 128, 255, 255), (20, 120, 250, 240), (40, 40, 200, 255), (0, 0, 255, 9)])
    func levelsGoThroughCurveAndClamp(low: Int, mid: Int, high: Int, most: Int) {
        // Every level is compared with the fractions of SPEC 8.
        var chip = actuator()
        actuator_init(&chip)
        var configuration = ActuatorConfiguration.testLRA
        configuration.curve = LevelCurve(low: UInt8(low), mid: UInt8(mid), high: UInt8(high))
        configuration.levelMax = UInt8(most)
        withUnsafeMutableBytes(of: &chip.configuration) { $0.copyBytes(from: configuration.bytes) }
        #expect(actuator_value(&chip, 0) == 0)
        for level in 1...255 {
            let exact =
                level <= 128
                ? Double(low) + Double((mid - low) * level) / 128
                : Double(mid) + Double((high - mid) * (level - 128)) / 127
            let value = Double(actuator_value(&chip, UInt8(level)))
            #expect(abs(value - min(exact, Double(most))) <= 0.5, "level \(level)")
        }
    }

    @Test func signedLevelsHaveSevenBits() {
        let bench = Bench.connected(.signedLRA)
        #expect(bench.actuatorStatus().levelBits == 7)
        let start = bench.play([0xB0, 255, 0xB1, 40, 101, 0xF1, 40, 0x00])
        bench.run(to: start + 50_000)
        #expect(bench.playedLevels(from: start).prefix(3).map(\.value) == [127, 50, 0])
    }
}
