// The USB of a board: packets that are damaged, a host that is late, a port that is closed, and the boot
// loader that is entered by it (SPEC 4.4, 4.5).

import BridgeLink
import CBridgeProtocol
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@testable import bridge_soak

@Suite(.enabled(if: ConformanceBoard.simulatedPico.absence == nil, "no simulated Pico"))
struct USBBusTests {
    /// Checks that damaged packets are sent again by the host or the board, and that nothing of them is
    /// seen above the bus.
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

    /// Checks a computer that does nothing for a while: what the board has is played, and the session
    /// goes on.
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

    /// Checks that a port which is closed takes what the board would send with it, and that the next
    /// program to open it reads nothing that was meant for another.
    @Test func aClosedPortIsAHostThatFallsSilentAndTheNextOneBeginsAnew() throws {
        let rig = try ImageRig(.pico)
        for round in 0..<20 {
            rig.hold(200, for: 20_000_000)
            rig.link.run(for: 200_000 + BoardTime(round) * 1_311)
            #expect(rig.drive == 200)
            for _ in 0..<8 { rig.link.session.ask(.configuration(actuator: 0)) }
            rig.link.speak()
            rig.board.dataTerminalReady(false)
            rig.board.advance(to: rig.board.now + BoardTime(BRIDGE_DEAD_MAN_US) + 5_000)
            #expect(rig.drive == 0)
            _ = rig.board.takeSent()
            rig.board.dataTerminalReady(true)
            rig.board.advance(to: rig.board.now + 100_000)
            let stale = rig.board.takeSent().count
            #expect(stale <= 64, "one packet may be under way; \(stale) bytes came")
            try rig.connect()
            #expect(try rig.link.actuator().state == .atRest)
        }
    }

    /// Checks that a stamp is the time at which its packet arrived (Firmware/Porting.md, Stamps).
    @Test(arguments: 0..<2 as Range<UInt64>)
    func aStampIsTheTimeOfItsPacket(seed: UInt64) {
        let report = ImageProof.ask(3_000, seed: seed, on: .simulated(by: .pico))
        #expect(report.complaints.isEmpty, "\(report.complaints.joined(separator: "\n"))")
        #expect(report.stamps > 500)
        #expect(report.worstStamp <= BoardSimulator.pico.stampTolerance)
    }

    /// Checks the error of the host's clock behind frames of 1 ms: half the difference between the least
    /// delays of both directions, of which the board's share is the time from an answer's stamp until it
    /// leaves. In the first seconds the drift is not known yet: the bound of the error says so.
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

    /// Checks both ways into the boot loader of the ROM.
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
        #expect(zero?.stop ?? .max < entered, "level 0 is written before")
    }
}
