// Tests of the image for several actuators on a simulated microcontroller with a TCA9548A: the
// levels that each chip receives, and their times. After a fault, no chip may continue to drive.

import BridgeLink
import CBridgeProtocol
import DRV2605
import Foundation
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct SeveralActuatorsImageTests {
    private static let count = 4

    private func rig(_ simulator: BoardSimulator) throws -> SeveralActuatorsRig<LockStepBoard> {
        try SeveralActuatorsRig(LockStepBoard.several(simulator))
    }

    @Test(arguments: BoardSimulator.here)
    func theBoardSaysHowManyActuatorsItHas(_ simulator: BoardSimulator) throws {
        let rig = try rig(simulator)
        #expect(Int(rig.link.session.welcome?.actuators ?? 0) == Self.count)
        let isLarge = simulator.line == .usb
        #expect(rig.link.session.welcome?.streams == (isLarge ? 4 : 1))
        #expect(rig.link.session.welcome?.eventMemory == (isLarge ? 16_384 : 284))
    }

    @Test(arguments: BoardSimulator.here)
    func aLevelThatIsTheSameForAllGoesOutOnce(_ simulator: BoardSimulator) throws {
        let rig = try rig(simulator)
        try rig.play([StreamEvent(.level(200), at: 0), StreamEvent(.level(90), at: 40)])
        let levels = rig.board.trace.transactions.filter { $0.level ?? 0 > 0 }
        #expect(levels.map(\.chips) == [[0, 1, 2, 3], [0, 1, 2, 3]])
        #expect(levels.map(\.level) == [200, 90])
    }

    @Test(arguments: BoardSimulator.here)
    func levelsThatDifferGoToEachInTurn(_ simulator: BoardSimulator) throws {
        let rig = try rig(simulator)
        try differ(rig)
        try rig.play([StreamEvent(.level(255), at: 0)])
        let levels = rig.board.trace.transactions.filter { $0.level ?? 0 > 0 }
        #expect(levels.map(\.chips) == [[0], [1], [2], [3]])
        #expect(levels.map(\.level) == [255, 254, 253, 252])
        let skew = simulator.time(of: levels.last!.stop - levels.first!.stop)
        #expect(skew <= 700)
    }

    @Test(arguments: BoardSimulator.here)
    func staticMemoryAndStackLeaveRoom(_ simulator: BoardSimulator) throws {
        let rig = try rig(simulator)
        try differ(rig)
        try rig.play((0..<200).map { StreamEvent(.level(UInt8($0 + 40)), at: Ticks($0 * 20)) })
        // The distributed image uses at most 1.6 KiB, including the stack. The stack of the image
        // for comparison, which is built entirely from C code, is one byte larger.
        let variables = ProcessInfo.processInfo.environment
        let isShipped = variables["HAPTIC_BRIDGE_SEVERAL_IMAGE"] == nil
        let left = simulator.line == .usb ? 8_192 : (isShipped ? 1_638 : 2_048) - 1_523
        #expect(rig.board.stackBytes <= left, "the RAM that is not used by static memory")
        #expect(try rig.link.status().faults == [])
    }

    @Test(arguments: BoardSimulator.here)
    func configurationsOfAllSurviveAReset(_ simulator: BoardSimulator) throws {
        let rig = try rig(simulator)
        for actuator in 0..<UInt8(Self.count) {
            var configuration = ActuatorConfiguration.coinLRA
            configuration.locality =
                [.leftHandle, .rightHandle, .leftTrigger, .rightTrigger][
                    Int(actuator)]
            configuration.name = "number \(actuator)"
            configuration.runningVoltage = 0xFF00 + UInt16(actuator)
            try rig.link.carryOut(.configure(configuration, actuator: actuator))
            rig.link.run(for: 50_000)
            #expect(try rig.link.carryOut(.save(actuator: actuator)) == nil)
        }
        rig.link.run(for: 1_500_000)
        rig.board.reset()
        rig.board.advance(to: rig.board.now + 100_000)
        let again = IdealLink(rig.board, sessionID: 0x2345_6789)
        #expect(again.connect())
        for actuator in 0..<UInt8(Self.count) {
            let configuration = try again.configuration(ofActuator: actuator)
            #expect(configuration.name == "number \(actuator)")
            #expect(configuration.runningVoltage == 0xFF00 + UInt16(actuator))
            #expect(configuration.locality.rawValue == actuator + 1)
            #expect(try again.actuator(actuator).state == .atRest)
        }
    }

    /// Checks levels that require four transfers each, so that the bus is almost always busy.
    @Test(arguments: BoardSimulator.here, [2, 3])
    func chipsAreLookedAfterHoweverDenseTheLevels(_ simulator: BoardSimulator, every: Int) throws {
        let rig = try rig(simulator)
        try differ(rig, by: 4)
        rig.begin(
            (0..<2_000).map {
                StreamEvent(.level(UInt8(100 + $0 * 7 % 150)), at: Ticks($0 * every))
            })
        rig.link.run(for: 300_000)
        rig.board.forgetTrace()
        rig.link.run(for: 400_000)
        for chip in 0..<Self.count {
            // The board reads the registers for the supply and the period only if the bus is free.
            let looks = rig.board.trace.transactions.filter {
                $0.chips == [chip] && $0.level == nil && !$0.isSwitch
                    && ![0x21, 0x22].contains($0.bytes[1])
            }
            #expect((11...13).contains(looks.count))
        }
        #expect(
            try rig.link.stream(0).state != .closed,
            "the stream may run out because the bus is saturated")
        rig.board.chip(3, .hot(true))
        rig.link.run(for: 150_000)
        #expect(drives(rig) == atRest)
        #expect(try rig.link.status().faults.contains(.overTemperature))
    }

    // MARK: Faults

    private func differ(_ rig: SeveralActuatorsRig<LockStepBoard>, by step: Int = 1) throws {
        for actuator in 0..<Self.count {
            let gain = Gain(
                actuators: ActuatorMask(index: actuator), gain: UInt8(255 - actuator * step))
            try rig.link.carryOut(.gain(gain))
        }
    }

    /// Returns the level with which each chip currently drives its actuator.
    private func drives(_ rig: SeveralActuatorsRig<LockStepBoard>) -> [Int] {
        (0..<Self.count).map { chip in
            rig.board.trace.drives.last { $0.chip == chip }?.value ?? 0
        }
    }

    private func driving(
        _ simulator: BoardSimulator, differing: Bool = false
    ) throws -> SeveralActuatorsRig<LockStepBoard> {
        let rig = try rig(simulator)
        if differing { try differ(rig) }
        rig.begin([StreamEvent(.level(200), at: 0)], end: 40_000)
        rig.link.run(for: 120_000)
        #expect(drives(rig).allSatisfy { $0 > 0 })
        return rig
    }

    private let atRest = [Int](repeating: 0, count: Self.count)

    @Test(arguments: BoardSimulator.here, [false, true])
    func stopRestsAll(_ simulator: BoardSimulator, differing: Bool) throws {
        let rig = try driving(simulator, differing: differing)
        try rig.link.stop()
        rig.link.run(for: 10_000)
        #expect(drives(rig) == atRest)
    }

    /// Checks writes to the multiplexer that are corrupted but acknowledged.
    @Test(arguments: BoardSimulator.here, [0b011, 0b110] as [UInt8])
    func aMisledMultiplexerLeavesNothingDriven(_ simulator: BoardSimulator, bits: UInt8) throws {
        let rig = try rig(simulator)
        for moment in Proof.thinned(0..<69, every: 7) {
            let driven = try rig.drivenDespiteStop(
                misledAfter: 2_300 * BoardTime(moment), bits: bits)
            #expect(driven.isEmpty, "the multiplexer was misled at moment \(moment)")
        }
    }

    @Test(arguments: BoardSimulator.here)
    func silenceRestsAll(_ simulator: BoardSimulator) throws {
        let rig = try driving(simulator)
        rig.board.advance(to: rig.board.now + 300_000)
        #expect(drives(rig) == atRest)
    }

    @Test(arguments: BoardSimulator.here, [false, true])
    func aHangRestsAll(_ simulator: BoardSimulator, interruptsOn: Bool) throws {
        let rig = try driving(simulator)
        rig.board.hang(interruptsOn: interruptsOn)
        rig.board.advance(to: rig.board.now + 600_000)
        #expect(drives(rig) == atRest)
        #expect(rig.board.trace.resets.last?.cause == .watchdog)
    }

    @Test(arguments: BoardSimulator.here)
    func aResetRestsAll(_ simulator: BoardSimulator) throws {
        let rig = try driving(simulator)
        rig.board.reset()
        rig.board.advance(to: rig.board.now + 50_000)
        #expect(drives(rig) == atRest)
    }

    @Test(arguments: BoardSimulator.here)
    func aChipThatGoesWhileAllPlayRestsAllAndTheOthersPlayOn(_ simulator: BoardSimulator) throws {
        let rig = try driving(simulator)
        rig.board.chip(2, .power(false))
        rig.link.run(for: 500_000)
        #expect(drives(rig) == atRest)
        #expect(rig.board.trace.enabled == [0, 1, 3])
        #expect(try rig.link.actuator(2).state == .fault)
        #expect(try rig.link.status().faults.contains(.bus))
        rig.board.forgetTrace()
        let others: ActuatorMask = [.init(index: 0), .init(index: 1), .init(index: 3)]
        try rig.play([StreamEvent(.level(200), at: 0)], on: others)
        let levels = rig.board.trace.transactions.filter { $0.level ?? 0 > 0 }
        #expect(levels.map(\.chips) == [[0, 1, 3]])
    }

    /// Checks a channel of the multiplexer that blocks the whole bus. The board cannot address any
    /// chip in this state, and can stop the actuators only with EN.
    @Test(arguments: BoardSimulator.here)
    func aChannelThatHoldsTheBusEndsInAllOff(_ simulator: BoardSimulator) throws {
        let rig = try driving(simulator)
        rig.board.channelIsStuck(1, true)
        rig.link.run(for: 1_000_000)
        #expect(drives(rig) == atRest)
        #expect(rig.board.trace.enabled == [])
        rig.board.channelIsStuck(1, false)
        let again = IdealLink(rig.board, sessionID: 0x2345_6789)
        #expect(again.connect())
        again.run(for: 200_000)
        for actuator in 0..<UInt8(Self.count) {
            #expect(try again.actuator(actuator).state == .atRest)
        }
    }
}
