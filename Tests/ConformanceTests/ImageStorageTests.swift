// Tests of the image's nonvolatile memory (SPEC 4.2, SAVE): the data that the image writes, the
// times of the writes, and the handling of a worn cell.

import BridgeLink
import CBridgeProtocol
import DRV2605
import Foundation
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct ImageStorageTests {
    /// True if the simulated board with an EEPROM is available.
    private static let hasEEPROM = ConformanceBoard.simulated.absence == nil
    private static let saveMax = BoardTime(BRIDGE_SAVE_MAX_US)
    /// The bit of STATUS.faults that reports an EEPROM cell that does not store a written value.
    private static let storageFault: UInt16 = 0x4000
    /// The maximum number of attempts to write a cell.
    private static let handful = 8

    private static func named(_ name: String) -> ActuatorConfiguration {
        var configuration = ActuatorConfiguration.coinLRA
        configuration.name = name
        return configuration
    }

    @Test(arguments: BoardSimulator.here)
    func everyByteOutlastsALossOfPower(_ simulator: BoardSimulator) throws {
        var configuration = Self.named("Motor 123456")
        (configuration.timeConstant, configuration.acceleration) = (0x1234, 0xFFFF)
        (configuration.startVoltage, configuration.runningVoltage) = (0x0102, 0xFEFD)
        let rig = try ImageRig(simulator, configuration)
        try rig.save()
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.configuration() == configuration)
    }

    /// Checks a board whose EEPROM contains data from an image with shorter configurations.
    @Test(.enabled(if: hasEEPROM))
    func whatAnOlderImageStoredIsNotTakenForAConfiguration() throws {
        let bytes = Array(ActuatorConfiguration.coinLRA.bytes.prefix(48))
        var crc: UInt16 = 1  // the layout version of an image with shorter configurations
        for byte in bytes {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 != 0 ? 0x8408 : 0) }
        }
        let record = bytes + [UInt8(truncatingIfNeeded: crc), UInt8(crc >> 8)]
        let cells = [UInt8](repeating: 0xFF, count: 8) + record + record
        let folder = Folder()
        let file = folder.url.appending(path: "eeprom")
        try Data(cells + [UInt8](repeating: 0xFF, count: 1024 - cells.count)).write(to: file)
        let board = try LockStepBoard(.atmega328p, options: ["--eeprom", file.path])
        let link = IdealLink(board)
        #expect(link.connect(limit: 4_000_000))
        #expect(try link.actuator(0).state == .unconfigured)
    }

    @Test(.enabled(if: hasEEPROM)) func savingWhatIsStoredWritesNoCellTwice() throws {
        let rig = try ImageRig(.atmega328p, Self.named("same"))
        try rig.save()
        rig.board.forgetTrace()
        for _ in 0..<400 { #expect(try rig.link.carryOut(.save(actuator: 0)) == nil) }
        rig.link.run(for: Self.saveMax)
        let cells = rig.board.trace.cellWrites.map(\.address)
        let most = Set(cells).map { cell in cells.count { $0 == cell } }.max() ?? 0
        #expect(most <= 1, "a cell was written \(most) times")
    }

    /// Checks a SAVE during levels that are so dense that the board always has a level to render.
    @Test(arguments: BoardSimulator.here, [100, 125, 150])
    func whatIsSavedWhileThePlayerIsSaturatedIsStoredInTime(
        _ simulator: BoardSimulator, every spacing: Int
    ) throws {
        let rig = try ImageRig(simulator, Self.named("old"))
        try rig.save()
        try rig.configure(Self.named("new"))
        rig.playDensely(every: spacing, for: 1_200_000)
        rig.link.run(for: 150_000)
        rig.board.forgetTrace()
        #expect(try rig.link.carryOut(.save(actuator: 0)) == nil)
        rig.link.run(for: Self.saveMax)
        rig.board.power(false)
        #expect(rig.link.current?.outcome == nil, "the stream still plays")
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.configuration().name == "new")
    }

    /// Checks a SAVE that begins at different times of a level ramp, while an event is due every
    /// millisecond, and queries use the remaining capacity of the line. The search for the valid
    /// slot, repeated for each byte, would leave the player too little time.
    @Test(arguments: BoardSimulator.here)
    func aSaveDelaysNoStepOfARampAmongDenseEventsOnAFullLine(_ simulator: BoardSimulator) throws {
        let (ramps, spacing) = (6, 1_000)  // ticks of 250 us
        let events = (0..<ramps).flatMap { ramp -> [StreamEvent] in
            let start = ramp * spacing
            let level = StreamEvent(
                .levelRamp(to: ramp % 2 == 0 ? 250 : 0, duration: Ticks(spacing)), at: Ticks(start))
            return [level]
                + stride(from: start + 4, to: start + spacing, by: 4).map { tick in
                    let sharpness = UInt8(tick * 7 % 251)
                    return StreamEvent(.sharpnessRamp(to: sharpness, duration: 3), at: Ticks(tick))
                }
        }
        let end = StreamEvent(.end, at: Ticks(ramps * spacing + 2_000))
        for trial in 0..<3 as Range<BoardTime> {
            let rig = try ImageRig(simulator, Self.named("save \(trial)"))
            rig.link.begin(EventStreamEncoder.encode(events + [end]), start: .after(400_000))
            let line = SaturatedLine(of: rig.link, to: rig.board)
            let saving = rig.board.now + 700_000 + trial * 1_300
            var hasSaved = false
            while rig.link.current?.outcome == nil, rig.board.now < saving + 4_000_000 {
                if !hasSaved, rig.board.now >= saving {
                    rig.link.session.send(.save(actuator: 0))
                    hasSaved = true
                }
                rig.link.step()
                line.fill()
            }
            let playback = try #require(rig.link.current)
            #expect(try playback.outcome?.get() == .played)
            #expect(playback.progress.isClean, "\(playback.progress)")
            #expect(
                playback.progress.latestAtMost < 10, "\(playback.progress.latestAtMost) us late")
            if simulator.hasEEPROM {
                let writes = rig.board.trace.cellWrites.count
                #expect(writes > 40, "\(writes) cells were written")
            }
        }
    }

    /// Returns the cells that a second SAVE writes, in order.
    private static func cellsOfSecondSave() throws -> [Int] {
        let rig = try ImageRig(.atmega328p, Self.named("first"))
        try rig.save()
        try rig.configure(Self.named("second"))
        rig.board.forgetTrace()
        try rig.save()
        return rig.board.trace.cellWrites.map(\.address)
    }

    enum Place: CaseIterable { case first, middle, last }

    @Test(.enabled(if: hasEEPROM), arguments: Place.allCases)
    func aWornCellEndsInAFaultAndWhatWasStoredBeforeStillCounts(_ place: Place) throws {
        let cells = try Self.cellsOfSecondSave()
        try #require(!cells.isEmpty)
        let worn =
            switch place {
            case .first: cells[0]
            case .middle: cells[cells.count / 2]
            case .last: cells[cells.count - 1]
            }
        let rig = try ImageRig(.atmega328p, Self.named("first"))
        try rig.save()
        try rig.configure(Self.named("second"))
        rig.board.wearOut(cell: worn)
        rig.board.forgetTrace()
        try rig.save()
        rig.link.run(for: 1_000_000)
        let writes = rig.board.trace.cellWrites.count { $0.address == worn }
        #expect((1...Self.handful).contains(writes), "cell \(worn) was written \(writes) times")
        #expect(try rig.link.status().faults.rawValue & Self.storageFault != 0)
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.configuration().name == "first")
    }
}
