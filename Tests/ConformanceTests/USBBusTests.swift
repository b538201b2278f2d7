// Tests of a board's USB connection: damaged packets, a delayed host, a closed port, and the start
// of the boot loader (SPEC 4.4, 4.5).

import BridgeLink
import CBridgeProtocol
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@testable import bridge_soak

@Suite(
    .enabled(if: ConformanceBoard.simulatedPico.absence == nil, "the simulated Pico is not built"))
struct USBBusTests {
    /// Checks that the host or the board resends damaged packets, and that the layers above the bus do
    /// not notice them.
    @Test(arguments: [1, 2])
    func aDamagedPacketIsSentAgainAndNothingIsLostOrRepeated(_ count: Int) throws {
        let rig = try ImageRig(.pico)
        let events = StreamSample.jumps(400, ticks: 8)
        rig.link.begin(EventStreamEncoder.encode(events), start: .after(50_000))
        var step = 0
        rig.link.run(limit: 8_000_000) { link in
            step += 1
            if step % 5 == 0 { rig.board.damagePackets(count) }
            return link.current?.outcome != nil
        }
        let playback = try #require(rig.link.current)
        #expect(try playback.outcome?.get() == .played)
        #expect(playback.progress.isClean)
        #expect(try rig.link.status().damagedFrames == 0)
        #expect(rig.link.session.statistics.damagedFrames == 0)
        let levels = rig.board.transactions.levels.map(\.value).filter { $0 != 0 }
        #expect(Array(levels.suffix(400)) == events.levels)
    }

    /// Checks a computer that is temporarily inactive. The board must play the events that it has
    /// received, and the session must continue.
    @Test(arguments: [1, 3, 20, 150])
    func aHostThatIsLateLosesNothing(frames: Int) throws {
        let rig = try ImageRig(.pico)
        let events = StreamSample.jumps(500, ticks: 8)
        rig.link.begin(EventStreamEncoder.encode(events), start: .after(50_000))
        for _ in 0..<4 {
            rig.link.run(for: 60_000)
            rig.board.hostIsLate(frames: frames)
            rig.link.run(for: BoardTime(frames) * 1_000)
        }
        rig.link.run(limit: 8_000_000) { $0.current?.outcome != nil }
        let playback = try #require(rig.link.current)
        #expect(try playback.outcome?.get() == .played)
        #expect(playback.progress.isClean)
        let levels = rig.board.transactions.levels.map(\.value).filter { $0 != 0 }
        #expect(Array(levels.suffix(500)) == events.levels)
    }

    @Test func aHostThatIsLateByMoreThanTheDeadManFindsTheActuatorAtRest() throws {
        let rig = try ImageRig(.pico)
        rig.hold(200, for: 20_000_000)
        rig.link.run(for: 200_000)
        #expect(rig.drive == 200)
        rig.board.hostIsLate(frames: 400)
        rig.board.advance(to: rig.board.now + BoardTime(BRIDGE_DEAD_MAN_US) + 5_000)
        #expect(rig.drive == 0)
        rig.link.run(for: 400_000)
        #expect(try rig.link.status().faults.contains(.deadMan))
    }

    /// Checks that the board discards its queued data when a port is closed, so that the next
    /// program that opens the port does not read data for the previous program.
    @Test func aClosedPortIsAHostThatFallsSilentAndTheNextOneRestarts() throws {
        let rig = try ImageRig(.pico)
        for round in 0..<20 {
            rig.hold(200, for: 20_000_000)
            rig.link.run(for: 200_000 + BoardTime(round) * 1_311)
            #expect(rig.drive == 200)
            for _ in 0..<8 { rig.link.session.ask(.configuration(actuator: 0)) }
            rig.link.send()
            rig.board.dataTerminalReady(false)
            rig.board.advance(to: rig.board.now + BoardTime(BRIDGE_DEAD_MAN_US) + 5_000)
            #expect(rig.drive == 0)
            _ = rig.board.drainSent()
            rig.board.dataTerminalReady(true)
            rig.board.advance(to: rig.board.now + 100_000)
            let stale = rig.board.drainSent().count
            #expect(stale <= 64, "only one packet may be in transit; \(stale) bytes arrived")
            try rig.connect()
            #expect(try rig.link.actuator().state == .atRest)
        }
    }

    /// Checks that a time stamp is the arrival time of its packet (Firmware/Porting.md, Stamps).
    @Test(arguments: 0..<2 as Range<UInt64>)
    func aStampIsTheTimeOfItsPacket(seed: UInt64) {
        let report = ImageProof.ask(3_000, seed: seed, on: .simulated(by: .pico))
        #expect(report.complaints.isEmpty, "\(report.complaints.joined(separator: "\n"))")
        #expect(report.stamps > 500)
        #expect(report.worstStamp <= BoardSimulator.pico.stampTolerance)
    }

    /// Checks the error of the host's clock estimate with frames of 1 ms. The error is half of the
    /// difference between the minimum delays in the two directions. Part of this difference is the
    /// time between the stamp of an answer and its transmission. In the first seconds, the drift is
    /// not yet known, so the error bound is larger.
    @Test(arguments: [-80, 30])
    func whileItPlaysTheHostKnowsTheClockWithinFortyMicroseconds(drift: Double) throws {
        let link = try ImageLink(.pico, drift: drift, seed: 5)
        #expect(link.connect())
        var (count, worst) = (0, 0.0)
        link.onClockSample = { [unowned link] estimate in
            let error = abs(link.error(of: estimate, at: link.now))
            #expect(error <= Double(estimate.errorBound))
            guard link.now > 6_000_000 else { return }
            (count, worst) = (count + 1, max(worst, error))
        }
        let events = StreamSample.jumps(600, ticks: 80)
        link.begin(EventStreamEncoder.encode(events), start: .after(50_000))
        #expect(link.run(until: 14_000_000) { $0.playback?.outcome != nil })
        #expect(count > 60)
        #expect(worst <= 40)
    }

    enum Way: CaseIterable { case message, rate }

    /// Checks the two ways to start the boot loader in ROM.
    @Test(arguments: Way.allCases)
    func theBootLoaderIsEnteredWithTheActuatorAtRest(_ way: Way) throws {
        let rig = try ImageRig(.pico)
        rig.hold(200, for: 20_000_000)
        rig.link.run(for: 200_000)
        #expect(rig.drive == 200)
        switch way {
        case .message:
            #expect(try rig.link.carryOut(.enterBootloader)?.code == .notAtRest)
            try rig.link.stop()
            rig.link.run(for: 100_000)
            #expect(try rig.link.carryOut(.enterBootloader) == nil)
        case .rate: rig.board.lineCoding(baud: 1_200)
        }
        rig.link.run(for: 300_000)
        let entered = try #require(rig.board.trace.bootLoaderStarts.first)
        #expect(rig.drive == 0)
        let rest = try #require(rig.board.trace.drives.last)
        #expect(rest.cycle < entered)
        let zero = rig.board.trace.transactions.last { $0.level == 0 }
        #expect(zero?.stop ?? .max < entered, "level 0 is written before the boot loader starts")
    }
}
