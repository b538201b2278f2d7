import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import TestSupport
import Testing
import VirtualBoard

@Suite struct SuspectTests {
    @Test func statusMuted() {
        let bench = Bench()
        bench.connect()
        bench.run(for: 50_000)
        bench.ask(0x11, [1, 1, 0, 1])
        #expect(bench.status().state.contains(.muted))
    }
    @Test func dryAfterShortTap() {
        let bench = Bench()
        // LEVEL 200 at 0; TAP 255 sharp 255 at 100 ms. no END
        let t = bench.play([0xB0, 200, 0x91, 0x90, 0x03, 255, 255])
        bench.run(to: t + 400_000)
        print(bench.levels.map { ($0.time - t, $0.value) })
        #expect(bench.drive == 0)
        #expect(bench.levels.contains { $0.time == t + 100_000 + 5882 && $0.value == 0 })
        bench.checkChip()
    }
    @Test func openStartBatch() {
        let bench = Bench()
        let t = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 4])
        bench.run(to: t + 50_000)
        #expect(bench.drive == 255)
        // all in one batch: bytes arrive at the same instant as no poll between
        let c = bench.core
        _ = c
        var bytes = bench.nextCommand(0x40, [0, 1, 0, 0, 0])
        bytes += bench.nextCommand(0x44, [0, 0, 0xB0, 100, 0xF1, 100, 4])
        bytes += bench.nextCommand(0x42, [0, 0, 1] + UInt32(1_000_000).bytes + UInt32(250 << 24).bytes)
        for byte in bytes { bridge_receive(bench.board.core, byte, bench.board.deviceClock(at: bench.now)) }
        bench.run(for: 100_000)
        #expect(bench.drive == 0)
    }
    @Test func lateLevelDuringTapEnd() {
        let bench = Bench()
        let t = bench.play([0xD0, 200, 0xA0, 0x06]) // ramp to 200 in 800 ticks = 200 ms
        bench.run(to: t + 192_000)
        bench.append([0xB1, 0x8C, 0x06, 50]) // LEVEL 50 at tick 780 = 195 ms
        bench.append([0xF1, 0xA0, 0x1F, 4])
        bench.run(to: t + 230_000)
        print(bench.levels.suffix(5).map { ($0.time - t, $0.value) })
        #expect(bench.drive == 50)
    }
    @Test func calibrationBrownOut() {
        let bench = Bench()
        bench.connect()
        bench.run(for: 50_000)
        bench.command(0x49, [0])
        bench.run(for: 300_000)
        drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
        bench.run(for: 1_000_000)
        print(bench.actuatorStatus(), bench.status().faults)
        #expect(bench.actuatorStatus().calibration != .passed)
    }
    @Test func brownOutAtRest() {
        let bench = Bench()
        bench.connect()
        bench.run(for: 50_000)
        drv2605_model_inject_brown_out(bench.chip, UInt64(bench.now), UInt64(bench.now))
        bench.run(for: 50_000)
        let t = bench.play([0xB0, 255, 0xF1, 0xA0, 0x1F, 4])
        bench.run(to: t + 50_000)
        print(bench.drive, bench.status().faults)
        #expect(bench.status().faults.contains(.chipReset))
    }
}
