// Tests of levels that are so dense that the bus of several actuators is never idle. The transfers
// that make an actuator safe or check a chip must still take place, and must not cause a loss of
// levels.

import BridgeLink
import CBridgeFirmware
import CDRV2605Model
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct DenseLevelsTests {
    private typealias Rig = SeveralActuatorsRig<InProcessBoard>

    /// Returns a rig whose actuators have different gains, so that the board writes their levels
    /// one after the other.
    private func rig(_ actuators: Int) throws -> Rig {
        var options = InProcessBoard.Options()
        options.actuators = actuators
        let rig = try Rig(InProcessBoard(options: options))
        for actuator in rig.mask.indices {
            let mask = ActuatorMask(index: Int(actuator))
            try rig.link.carryOut(.gain(Gain(actuators: mask, gain: 255 - actuator * 4)))
        }
        return rig
    }

    private func level(_ number: Int) -> UInt8 { UInt8(100 + number * 7 % 150) }

    /// Returns levels at intervals of `ticks` ticks of 250 us, for `time` ticks.
    private func levels(every ticks: Int, for time: Int) -> [StreamEvent] {
        (0..<time / ticks).map { StreamEvent(.level(level($0)), at: Ticks($0 * ticks)) }
    }

    private func drive(_ rig: Rig, _ actuator: Int) -> Int {
        Int(drv2605_model_drive(rig.board.chip(of: actuator), UInt64(rig.board.now)))
    }

    private func isAtRest(_ rig: Rig, _ actuator: UInt8) -> Bool {
        UInt32(bridge_actuator(rig.board.core, actuator).pointee.state)
            == BRIDGE_ACTUATOR_AT_REST.rawValue
    }

    // MARK: One stream on all actuators

    @Test(arguments: [2, 4, 8], [1, 2, 3])
    func aHotChipIsNoticedAndAllRest(actuators: Int, every: Int) throws {
        let rig = try rig(actuators)
        rig.begin(levels(every: every, for: 4_000))
        rig.link.run(for: 300_000)
        let chip = rig.board.chip(of: actuators - 1)
        drv2605_model_inject_over_temperature(chip, UInt64(rig.board.now), true)
        rig.link.run(for: 150_000)
        #expect((0..<actuators).allSatisfy { drive(rig, $0) == 0 })
        #expect(try rig.link.status().faults.contains(.overTemperature))
    }

    /// Checks that the mode and the status of every chip are each read about every 100 ms (SPEC 9).
    @Test(arguments: [2, 4, 8], [1, 2, 3])
    func everyChipIsLookedAfter(actuators: Int, every: Int) throws {
        let rig = try rig(actuators)
        rig.begin(levels(every: every, for: 4_000))
        rig.link.run(for: 300_000)
        rig.board.forgetTrace()
        rig.link.run(for: 600_000)
        for actuator in 0..<actuators {
            for register in [UInt8(0x00), 0x01] {
                let looks = rig.board.transactions.filter {
                    $0.actuator == actuator && $0.write == nil && $0.bytes[1] == register
                }
                #expect(looks.count >= 5)
                #expect(zip(looks, looks.dropFirst()).allSatisfy { $1.start - $0.start < 110_000 })
            }
        }
    }

    /// Plays levels at the maximum density of the bus. Checks that other transfers delay the levels
    /// only temporarily, and do not separate the transfers of one level.
    @Test(arguments: [(2, 1), (4, 3), (8, 5)])
    func allLevelsPlayInOrder(actuators: Int, every: Int) throws {
        let rig = try rig(actuators)
        let events = levels(every: every, for: 2_000)
        try rig.play(events)
        var shown = [[UInt8]](repeating: [], count: actuators)
        let transactions = rig.board.transactions
        for (index, transaction) in transactions.enumerated() {
            guard let write = transaction.write, write.register == 2, write.value > 0 else {
                continue
            }
            shown[transaction.actuator].append(write.value)
            if transaction.actuator > 0 {
                #expect(transactions[index - 1].write?.register == 2)
                #expect(transaction.start - transactions[index - 1].start <= 200)
            }
        }
        for actuator in 0..<actuators {
            let present = bridge_actuator(rig.board.core, UInt8(actuator))
            #expect(shown[actuator] == events.indices.map { actuator_value(present, level($0)) })
        }
        #expect(try rig.link.status().lateEvents == 0)
    }

    /// Checks that an actuator that must cool before it is set up does not delay another actuator.
    @Test func oneThatHasToCoolDelaysNothing() throws {
        let rig = try rig(2)
        var small = ActuatorConfiguration.coinLRA
        (small.sustained, small.budget) = (16, 5)
        try rig.link.carryOut(.configure(small, actuator: 1))
        rig.link.run(for: 200_000)
        try rig.play([StreamEvent(.level(255), at: 0)], on: ActuatorMask(index: 1))
        try rig.link.carryOut(.configure(small, actuator: 1))
        rig.link.run(for: 50_000)
        let state = try rig.link.actuator(1).state
        #expect(state == .starting)
        try rig.play(levels(every: 4, for: 1_000), on: ActuatorMask(index: 0))
        #expect(try rig.link.status().latest <= 60)
    }

    // MARK: One stream for each actuator

    /// Checks that the board writes level 0 within 20 ms, and standby at most 20 ms after the brake
    /// window, and that the stream can play again within 20 ms.
    @Test(arguments: [(2, 1), (3, 1), (4, 1), (4, 2), (8, 2), (8, 4)])
    func aClosedStreamRestsWhileTheOthersPlay(streams: Int, every: Int) throws {
        let rig = try rig(streams)
        let run = try beginDense(rig, streams: streams, every: every)
        #expect(drive(rig, 0) > 0)
        rig.link.session.send(.close(stream: 0))
        run(20_000)
        #expect(drive(rig, 0) == 0)
        run(20_000 + BoardTime(ActuatorConfiguration.testLRA.brake) * 1_000)
        #expect(isAtRest(rig, 0))
        let code = EventStreamEncoder.encode([StreamEvent(.level(220), at: 0)])
        let open = Open(stream: 0, actuators: ActuatorMask(index: 0), memory: 32)
        #expect(try rig.link.carryOut(.open(open)) == nil)
        #expect(try rig.link.carryOut(.events(Events(stream: 0, bytes: code))) == nil)
        #expect(try rig.link.carryOut(.start(Start(stream: 0, isRelative: true, time: 0))) == nil)
        run(20_000)
        #expect(rig.board.driveChanges.contains { $0.actuator == 0 && $0.drive > 0 })
        for stream in 1..<UInt8(streams) {
            #expect(try rig.link.stream(stream).state != .closed)
        }
    }

    /// Checks a level that was written to the first actuator long ago and still plays.
    @Test(arguments: [(2, 1), (3, 1), (4, 2)])
    func aMuteAndAGainReachAHeldLevelDuringDenseOnes(streams: Int, every: Int) throws {
        let rig = try rig(streams)
        let run = try beginDense(rig, streams: streams, every: every)
        for _ in 0..<8 {
            rig.link.session.mute(ActuatorMask(index: 0), true)
            run(4_000)
            #expect(drive(rig, 0) == 0)
            rig.link.session.mute(ActuatorMask(index: 0), false)
            run(4_000)
            #expect(drive(rig, 0) > 200)
            for (gain, drives) in [(UInt8(10), 0...20), (255, 200...255)] {
                rig.link.session.send(.gain(Gain(actuators: ActuatorMask(index: 0), gain: gain)))
                run(4_000)
                #expect(drives.contains(drive(rig, 0)))
            }
            run(17_000)
        }
    }

    /// Checks levels that leave no gap for 9 s, which exceeds the range of the driver's times (8.4
    /// s).
    @Test func aChipIsLookedAfterAgainOnceLevelsLeaveAGap() throws {
        let rig = try Rig(InProcessBoard())
        let link = rig.link
        let open = Open(stream: 0, actuators: ActuatorMask(index: 0), memory: 300)
        #expect(try link.carryOut(.open(open)) == nil)
        var code: [UInt8] = [0xB1, 1, 100, 0xB1, 1, 101, 0xB1, 1, 102]
        for _ in 0..<780 { code += [0xFF, 0xE1] }
        code += [0xB1, 1, 220, 0xF1, 0xFF, 0x7F, 0x00]
        func feed() {
            let credit = link.session.eventCredit(stream: 0)
            let bytes = code.prefix(min(40, credit))
            guard link.session.isWindowClear, !bytes.isEmpty else { return }
            code.removeFirst(bytes.count)
            link.session.send(.events(Events(stream: 0, bytes: Array(bytes))))
        }
        for _ in 0..<40 {
            feed()
            link.step()
        }
        let start = Start(
            stream: 0, isRelative: true, time: 20_000, scale: TickScale(rawValue: 120 << 24))
        #expect(try link.carryOut(.start(start)) == nil)
        let begun = rig.board.now
        let limit = begun + 11_000_000
        while drive(rig, 0) < 200, rig.board.now < limit {
            feed()
            link.step()
            if rig.board.now % 1_000_000 < 500 { rig.board.forgetTrace() }
        }
        #expect(drive(rig, 0) > 200 && code.isEmpty)
        #expect(rig.board.now - begun > 1 << 23)
        drv2605_model_inject_over_temperature(
            rig.board.chip(of: 0), UInt64(rig.board.now), true)
        link.run(for: 150_000)
        #expect(drive(rig, 0) == 0)
        #expect(try link.status().faults.contains(.overTemperature))
    }

    /// Checks a level whose falling edge is late because it must wait for the multiplexer; the chip
    /// drives the level until then. Full level is requested for 200 of every 800 us, the maximum
    /// that is permitted continuously.
    @Test(arguments: 2...8)
    func aLevelThatWaitsForTheMultiplexerCountsUntilItFalls(ticks: Int) throws {
        var options = InProcessBoard.Options()
        options.actuators = 2
        let rig = try Rig(InProcessBoard(options: options), stride: 10)
        let link = rig.link
        var configuration = ActuatorConfiguration.coinLRA
        (configuration.sustained, configuration.budget) = (128, 1)
        let start = rig.board.deviceClock(at: rig.board.now) &+ 400_000
        let codes: [[UInt8]] = [
            [0xB1, 30, 255, 0xB1, 10, 0], [0xB1, 20, 1, 0xB1, 20, 2],
        ]
        for stream in 0..<UInt8(2) {
            try link.carryOut(.configure(configuration, actuator: stream))
            link.run(for: 50_000)
            let mask = ActuatorMask(index: Int(stream))
            let open = Open(stream: stream, actuators: mask, memory: 192)
            #expect(try link.carryOut(.open(open)) == nil)
            let again: [UInt8] = Array(repeatElement([0xFF, 0xE1], count: 16).joined())
            let code = codes[Int(stream)] + again + [0xF3, 1, 0x00]
            #expect(try link.carryOut(.events(Events(stream: stream, bytes: code))) == nil)
            // A level for the other actuator precedes the falling edge by a few ticks.
            let time = start &- (stream == 0 ? 0 : UInt32(ticks * 20))
            let begin = Start(
                stream: stream, isRelative: false, time: time, scale: TickScale(rawValue: 20 << 24))
            #expect(try link.carryOut(.start(begin)) == nil)
        }
        while rig.board.deviceClock(at: rig.board.now) &- start > 1 << 31 { link.step() }
        var (heat, last) = (0.0, rig.board.now)
        let end = rig.board.now + 600_000
        while rig.board.now < end {
            let level = Double(drive(rig, 0))
            link.step()
            heat += (level * level - 128 * 128) * Double(rig.board.now - last) / 1_024
            last = rig.board.now
        }
        #expect(heat < Double(1 << 16) + 2.5 * 65_025, "\(heat)")
        #expect(heat > -0.1 * 128 * 128 * 600, "the heat is too low for playback: \(heat)")
    }

    /// Starts streams. Stream 0 holds a level, and the levels of the other streams change
    /// continuously. Returns a function that continues to play the streams for a given time.
    private func beginDense(_ rig: Rig, streams: Int, every: Int) throws -> (BoardTime) -> Void {
        let link = rig.link
        let start = rig.board.deviceClock(at: rig.board.now) &+ 300_000
        var codes: [[UInt8]] = []
        for stream in 0..<streams {
            let hold = [StreamEvent(.level(220), at: 0)]
            let events = stream == 0 ? hold : levels(every: every, for: 8_000)
            codes.append(EventStreamEncoder.encode(events + [StreamEvent(.end, at: 8_000)]))
            let open = Open(
                stream: UInt8(stream), actuators: ActuatorMask(index: stream),
                memory: UInt16(384 / streams))
            #expect(try link.carryOut(.open(open)) == nil)
        }
        func run(_ time: BoardTime) {
            let end = rig.board.now + time
            while rig.board.now < end {
                for stream in 0..<streams where link.session.isWindowClear {
                    let credit = link.session.eventCredit(stream: UInt8(stream))
                    let bytes = codes[stream].prefix(min(40, credit))
                    guard !bytes.isEmpty else { continue }
                    codes[stream].removeFirst(bytes.count)
                    link.session.send(.events(Events(stream: UInt8(stream), bytes: Array(bytes))))
                    link.step()
                }
                link.step()
            }
        }
        run(100_000)
        for stream in 0..<streams {
            let begin = Start(stream: UInt8(stream), isRelative: false, time: start)
            #expect(try link.carryOut(.start(begin)) == nil)
        }
        run(500_000)
        rig.board.forgetTrace()
        return run
    }
}
