// Tests of a board with several actuators behind a TCA9548A: the levels that each chip receives,
// and their times. After a fault, no chip may continue to drive.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct SeveralActuatorsTests {
    private func rig(_ actuators: Int, streams: Int? = nil) throws
        -> SeveralActuatorsRig<InProcessBoard>
    {
        var options = InProcessBoard.Options()
        (options.actuators, options.streams) = (actuators, streams)
        return try SeveralActuatorsRig(InProcessBoard(options: options))
    }

    /// Returns the writes of nonzero levels. Writes that end at the same time count as one write.
    private func levels(_ board: InProcessBoard) -> [(end: BoardTime, actuators: [Int])] {
        let writes = board.transactions.filter {
            $0.isAcknowledged && $0.write?.register == 2 && $0.write?.value ?? 0 > 0
        }
        return Dictionary(grouping: writes, by: \.end).sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.map(\.actuator)) }
    }

    private func drives(_ rig: SeveralActuatorsRig<InProcessBoard>) -> [Int] {
        rig.mask.indices.map {
            Int(drv2605_model_drive(rig.board.chip(of: Int($0)), UInt64(rig.board.now)))
        }
    }

    /// Sets a different gain for each actuator, so that the levels differ.
    private func differ(_ rig: SeveralActuatorsRig<InProcessBoard>) throws {
        for actuator in rig.mask.indices {
            let mask = ActuatorMask(index: Int(actuator))
            try rig.link.carryOut(.gain(Gain(actuators: mask, gain: 255 - actuator)))
        }
    }

    @Test(arguments: [2, 4, 8])
    func aLevelThatIsTheSameForAllGoesOutOnce(actuators: Int) throws {
        let rig = try rig(actuators)
        try rig.play([StreamEvent(.level(200), at: 0), StreamEvent(.level(90), at: 40)])
        let all = Array(0..<actuators)
        #expect(levels(rig.board).map(\.actuators) == [all, all])
        #expect(try rig.link.status().faults == [])
    }

    @Test(arguments: [(2, 700), (4, 700), (8, 1_300)])
    func levelsThatDifferGoToEachInTurn(actuators: Int, skew: BoardTime) throws {
        let rig = try rig(actuators)
        try differ(rig)
        try rig.play([StreamEvent(.level(255), at: 0)])
        let levels = levels(rig.board)
        #expect(levels.map(\.actuators) == (0..<actuators).map { [$0] })
        #expect(levels.last!.end - levels.first!.end <= skew)
        #expect(try rig.link.status().lateEvents == 0)
    }

    @Test func theFirstOneIsInTimeForTheBusWasLedThereBefore() throws {
        let rig = try rig(4)
        try differ(rig)
        try rig.play([StreamEvent(.level(255), at: 0), StreamEvent(.level(128), at: 40)])
        let levels = levels(rig.board)
        #expect(levels[4].end - levels[0].end == 40 * 250)
    }

    @Test func aMaskOfThemPlaysAndTheOthersRest() throws {
        let rig = try rig(4)
        try rig.play([StreamEvent(.level(200), at: 0)], on: [.init(index: 1), .init(index: 3)])
        #expect(levels(rig.board).map(\.actuators) == [[1, 3]])
        #expect(Set(rig.board.driveChanges.map(\.actuator)) == [1, 3])
    }

    @Test func streamsOnDifferentActuatorsPlaySideBySide() throws {
        let rig = try rig(4)
        let steps: [[StreamEvent]] = [
            [StreamEvent(.level(100), at: 0), StreamEvent(.level(110), at: 40)],
            [StreamEvent(.level(200), at: 0), StreamEvent(.level(210), at: 40)],
        ]
        let start = rig.board.deviceClock(at: rig.board.now) &+ 50_000
        for (stream, events) in steps.enumerated() {
            let number = UInt8(stream)
            let mask: ActuatorMask = [.init(index: 2 * stream), .init(index: 2 * stream + 1)]
            let code = EventStreamEncoder.encode(events + [StreamEvent(.end, at: 400)])
            let open = Open(stream: number, actuators: mask, memory: 64)
            #expect(try rig.link.carryOut(.open(open)) == nil)
            #expect(try rig.link.carryOut(.events(Events(stream: number, bytes: code))) == nil)
            #expect(
                try rig.link.carryOut(.start(Start(stream: number, isRelative: false, time: start)))
                    == nil)
        }
        rig.link.run(for: 300_000)
        for actuator in 0..<4 {
            let written = rig.board.transactions.filter {
                $0.actuator == actuator && $0.write?.register == 2 && $0.write?.value ?? 0 > 0
            }
            #expect(written.map { $0.write?.value } == (actuator < 2 ? [100, 110] : [200, 210]))
        }
    }

    /// Checks writes to the multiplexer that are corrupted but acknowledged, at times from the
    /// wake-up of the chips until the stop. An actuator that the board assumes to be at rest must
    /// not be driven.
    @Test(arguments: [0b001, 0b011, 0b100, 0b111] as [UInt8])
    func aMisledMultiplexerLeavesNothingDriven(bits: UInt8) throws {
        for moment in stride(from: BoardTime(0), to: 160_000, by: 2_300) {
            let driven = try rig(3).drivenDespiteStop(misledAfter: moment, bits: bits)
            #expect(driven.isEmpty, "misled after \(moment) us")
        }
    }

    /// Checks that a stop ends a level that the multiplexer, after a corrupted write, routes to an
    /// actuator in its brake window.
    @Test func aStopAlsoEndsWhatIsDrivenInABrakeWindow() throws {
        let rig = try rig(3)
        var slow = ActuatorConfiguration.coinLRA
        slow.brake = 255
        try rig.link.carryOut(.configure(slow, actuator: 0))
        rig.link.run(for: 50_000)
        for actuator in 0...2 {
            let levels = (0..<40).map {
                StreamEvent(.level(UInt8(100 + actuator + $0 % 2)), at: $0 * 9)
            }
            let end = StreamEvent(.end, at: actuator == 0 ? 40 : 900)
            try rig.begin(
                levels.prefix(actuator == 0 ? 4 : 40) + [end], alone: actuator, memory: 120)
        }
        let resting = UInt8(BRIDGE_ACTUATOR_COMING_TO_REST.rawValue)
        rig.link.run(limit: 200_000) { _ in
            rig.board.core.pointee.actuators.0.state == resting
        }
        rig.link.run(for: 2_000)
        for _ in 0..<20 where drives(rig)[0] == 0 {
            rig.board.multiplexerIsMisled(bits: 1)
            rig.link.run(for: 1_000)
        }
        #expect(drives(rig)[0] > 0)
        rig.link.session.stop()
        rig.link.run(for: 10_000)
        #expect(drives(rig) == [0, 0, 0])
    }

    @Test func aStreamBeyondThoseOfTheBoardIsRefused() throws {
        let rig = try rig(4, streams: 1)
        let reject = try rig.link.carryOut(.open(Open(stream: 1, actuators: .init(index: 0))))
        #expect(reject?.code == .noStream)
        #expect(reject?.limit == 0)
    }

    @Test func anActuatorBeyondThoseOfTheBoardIsRefused() throws {
        let rig = try rig(4)
        let reject = try rig.link.carryOut(.open(Open(stream: 0, actuators: .init(index: 4))))
        #expect(reject?.code == .noActuator)
        #expect(reject?.limit == 0x0F)
    }

    // MARK: Faults

    private func driving(_ actuators: Int = 4, differing: Bool = false) throws
        -> SeveralActuatorsRig<InProcessBoard>
    {
        let rig = try rig(actuators)
        if differing { try differ(rig) }
        rig.begin([StreamEvent(.level(200), at: 0)], end: 40_000)
        rig.link.run(for: 120_000)
        #expect(drives(rig).allSatisfy { $0 > 0 })
        return rig
    }

    @Test(arguments: [false, true]) func stopRestsAll(differing: Bool) throws {
        let rig = try driving(differing: differing)
        try rig.link.stop()
        rig.link.run(for: 20_000)
        #expect(drives(rig) == [0, 0, 0, 0])
        rig.link.run(for: 300_000)
        for actuator in 0..<UInt8(4) {
            #expect(try rig.link.actuator(actuator).state == .atRest)
        }
    }

    @Test func silenceRestsAll() throws {
        let rig = try driving()
        rig.board.advance(to: rig.board.now + 400_000)
        #expect(drives(rig) == [0, 0, 0, 0])
    }

    /// Checks that, if the write to one actuator fails, a pending level is written to the other
    /// actuators, and no level is lost.
    @Test func aWriteThatFailsForOneIsRepeatedForIt() throws {
        let rig = try rig(4)
        try differ(rig)
        rig.begin([StreamEvent(.level(255), at: 0), StreamEvent(.level(250), at: 400)], end: 4_000)
        rig.link.run(limit: 200_000) { _ in rig.board.driveChanges.count == 4 }
        let before = drives(rig)
        let first = rig.board.driveChanges[0].time
        rig.link.run(for: first + 99_500 - rig.board.now)
        drv2605_model_inject_nack(rig.board.chip(of: 2), 1)
        rig.link.run(for: 20_000)
        #expect(zip(drives(rig), before).allSatisfy { $0 > 0 && $0 < $1 })
        let failed = rig.board.transactions.filter { !$0.isAcknowledged }
        let levels = levels(rig.board).suffix(4)
        #expect(failed.map(\.actuator) == [2])
        #expect(levels.map(\.actuators) == [[0], [1], [2], [3]])
        #expect(levels.map(\.end)[1] < failed[0].end && failed[0].end < levels.map(\.end)[2])
        #expect(try rig.link.status().busErrors == 1)
    }

    @Test func aChipThatGoesWhileAllPlayRestsAllAndTheOthersPlayOn() throws {
        let rig = try driving()
        drv2605_model_power(rig.board.chip(of: 2), UInt64(rig.board.now), false)
        rig.link.run(for: 400_000)
        #expect(drives(rig) == [0, 0, 0, 0])
        #expect(try rig.link.actuator(2).state == .fault)
        #expect(try rig.link.status().faults.contains(.bus))
        #expect(bridge_enabled(rig.board.core) & 4 == 0)
        rig.board.forgetTrace()
        try rig.play(
            [StreamEvent(.level(200), at: 0)],
            on: [.init(index: 0), .init(index: 1), .init(index: 3)])
        #expect(levels(rig.board).map(\.actuators) == [[0, 1, 3]])
    }

    @Test func aChipThatWasNeverThereIsReportedAndTheOthersPlay() throws {
        var options = InProcessBoard.Options()
        options.actuators = 4
        let board = InProcessBoard(options: options)
        drv2605_model_power(board.chip(of: 1), 0, false)
        let rig = try SeveralActuatorsRig(board)
        #expect(try rig.link.actuator(1).state == .fault)
        #expect(try rig.link.status().faults.contains(.noChip))
        let reject = try rig.link.carryOut(.open(Open(stream: 0, actuators: rig.mask)))
        #expect(reject?.code == .fault)
        #expect(reject?.limit == 1)
        try rig.play(
            [StreamEvent(.level(200), at: 0)],
            on: [.init(index: 0), .init(index: 2), .init(index: 3)])
        #expect(levels(rig.board).map(\.actuators) == [[0, 2, 3]])
    }

    /// Connects to a board with two actuators and one dead chip, and waits for `pause`
    /// microseconds. A new session tries to set up the dead chip again, and this attempt fails only
    /// after some time.
    private func withADeadChip(pause: BoardTime) -> IdealLink {
        var options = InProcessBoard.Options()
        options.actuators = 2
        options.configuration = ActuatorConfiguration.testLRA.bytes
        let board = InProcessBoard(options: options)
        drv2605_model_power(board.chip(of: 1), 0, false)
        board.advance(to: 1_000_000)
        let link = IdealLink(board)
        #expect(link.connect())
        link.run(for: pause)
        return link
    }

    @Test(arguments: [0, 5_000, 10_000, 20_000])
    func aDeadChipDoesNotEndWhatOtherActuatorsPlay(pause: BoardTime) throws {
        let link = withADeadChip(pause: pause)
        let bytes = EventStreamEncoder.encode([
            StreamEvent(.level(200), at: 0), StreamEvent(.end, at: 400),
        ])
        link.begin(bytes, on: .init(index: 0), start: .after(5_000))
        link.run(limit: 1_000_000) { $0.current?.outcome != nil }
        #expect(try link.current?.outcome?.get() == .played)
        #expect(try link.actuator(1).state == .fault)
    }

    @Test func aDeadChipEndsAStreamOnItself() throws {
        let link = withADeadChip(pause: 0)
        for stream in 0..<UInt8(2) {
            let open = Open(stream: stream, actuators: .init(index: Int(stream)), memory: 32)
            #expect(try link.carryOut(.open(open)) == nil)
        }
        link.run(for: 200_000)
        #expect(try link.stream(0).state == .open)
        #expect(try link.stream(1).state == .closed)
    }

    @Test func aChipThatIsHotRestsAllOfTheBoard() throws {
        let rig = try driving()
        let chip = rig.board.chip(of: 3)
        drv2605_model_inject_over_temperature(chip, UInt64(rig.board.now), true)
        rig.link.run(for: 500_000)
        #expect(drives(rig) == [0, 0, 0, 0])
        #expect(try rig.link.status().faults.contains(.overTemperature))
    }

    /// Checks that the search for a due write ends without a result if an interrupt occurs while a
    /// stream is being opened.
    @Test func aStreamWithoutActuatorsHasNoWriteThatIsDue() {
        let board = InProcessBoard(options: .init())
        let stream = bridge_stream(board.core, 0)!
        stream.pointee.writes.head = stream.pointee.writes.tail &+ 16
        stream.pointee.actuators = 0
        #expect(bridge_next_write(board.core) == nil)
        #expect(!bridge_take_due(board.core, board.deviceClock(at: board.now)))
    }
}
