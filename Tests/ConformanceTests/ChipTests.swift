// Tests of chips that are absent, do not answer, or fail (SPEC 8, 9), on boards whose chip can
// simulate faults.

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite struct ChipTests {
    @Test(arguments: ConformanceBoard.breakable)
    func aBoardWithoutAChipSaysSoAndKeepsItsPinLow(_ board: ConformanceBoard) async throws {
        try await board.withRig { rig in
            rig.parts.chip(.power(false))
            try rig.connect()
            rig.link.run(for: 100_000)
            #expect(try rig.link.actuator().state == .fault)
            #expect(try rig.link.status().faults.contains(.noChip))
            #expect(!rig.board.isEnabled)
            let open = Open(stream: 0, actuators: ActuatorMask(index: 0))
            #expect(try rig.link.carryOut(.open(open))?.code == .fault)
            #expect(try rig.link.carryOut(.calibrate(actuator: 0))?.code == .fault)
            #expect(rig.board.driveChanges.isEmpty)

            // In a new session, the board tries to set up the chip again.
            rig.parts.chip(.power(true))
            rig.link.run(for: 10_000)
            try rig.connect()
            try rig.configure()
            #expect(rig.board.isEnabled)
            let sample = StreamSample.taps
            let played = try PlayedPattern(
                sample.bytes, sample.events, limit: 3_000_000, on: rig.link)
            #expect(played.comparison.mismatches.isEmpty)
        }
    }

    /// At 100 kHz, a write takes 290 us and a read 390 us.
    @Test(arguments: ConformanceBoard.breakable)
    func onWeakPullUpsTheBusRunsAt100KilohertzAndLevelsStartInTime(
        _ board: ConformanceBoard
    ) async throws {
        try await board.withRig { rig in
            rig.parts.chip(.weakPullUps(true))
            try rig.connect()
            rig.link.run(for: 100_000)
            #expect(try rig.link.actuator().state == .unconfigured)
            #expect(try rig.link.status().state.contains(.slowBus))
            try rig.configure()
            let sample = StreamSample.taps
            let played = try PlayedPattern(
                sample.bytes, sample.events, limit: 3_000_000, on: rig.link)
            #expect(played.comparison.mismatches.isEmpty)
            #expect(played.comparison.worstOnset <= board.lateness)
            let times = rig.board.transactions.filter(\.isAcknowledged).map { $0.end - $0.start }
            #expect(times.allSatisfy { (270...450).contains($0) }, "\(times.min()!)")
        }
    }

    @Test(arguments: ConformanceBoard.breakable)
    func aChipThatNoLongerAnswersIsSwitchedOff(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            rig.provoked = [.staleStart]
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 50_000)
            rig.parts.chip(.nack(bytes: 100_000))
            // The board reads the chip's status every 100 ms.
            rig.link.run(for: 150_000)
            #expect(try rig.link.actuator().state == .fault)
            #expect(try rig.link.status().faults.contains(.bus))
            #expect(try rig.link.stream().state == .closed)
            #expect(!rig.board.isEnabled)
            #expect(rig.drive == 0)
            rig.parts.chip(.nack(bytes: 0))
            try rig.connect()
            #expect(try rig.waitForRest())
        }
    }

    @Test(arguments: ConformanceBoard.breakable, 1...2)
    func aTransferThatFailsIsTriedAgain(_ board: ConformanceBoard, bytes: Int) async throws {
        let sample = StreamSample.tapsOverARamp
        let count = try sample.events.taps
        try await board.test { rig in
            rig.link.begin(sample.bytes)
            #expect(rig.link.run(limit: 1_000_000) { _ in rig.drive != 0 })
            rig.link.run(for: 2_000)
            rig.parts.chip(.nack(bytes: bytes))
            #expect(rig.link.run(limit: 3_000_000) { $0.current?.outcome != nil })
            #expect(try rig.link.current?.outcome?.get() == .played)
            let status = try rig.link.status()
            #expect(status.busErrors == UInt16(bytes))
            #expect(rig.board.transactions.contains { !$0.isAcknowledged })
            let taps = rig.board.transactions.levels.filter { $0.value == 250 }
            #expect(taps.count == count)
        }
    }

    /// A fault of a chip, the action that removes the fault, and the fault that the board reports.
    struct Trouble: Sendable, CustomTestStringConvertible {
        var fault: ChipFault
        var mended: ChipFault?
        var latched: Faults
        var testDescription: String { "\(fault)" }
    }

    private static let troubles = [
        Trouble(fault: .brownOut, mended: nil, latched: .chipReset),
        Trouble(fault: .hot(true), mended: .hot(false), latched: .overTemperature),
        Trouble(fault: .short(true), mended: .short(false), latched: .overCurrent),
    ]

    @Test(arguments: ConformanceBoard.breakable, troubles)
    func aChipInTroubleIsBroughtToRest(_ board: ConformanceBoard, _ trouble: Trouble) async throws {
        try await board.test { rig in
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 50_000)
            rig.parts.chip(trouble.fault)
            rig.link.run(for: 250_000)
            #expect(try rig.link.status().faults.contains(trouble.latched))
            #expect(try rig.link.stream().state == .closed)
            #expect(try rig.waitForRest())
            #expect(rig.drive == 0)
            if let mended = trouble.mended { rig.parts.chip(mended) }
            try rig.clearFaults()
            let again = try rig.begin(StreamSample.held)
            try rig.run(to: again &+ 20_000)
            #expect(rig.drive == 200)
            try rig.link.stop()
        }
    }
}
