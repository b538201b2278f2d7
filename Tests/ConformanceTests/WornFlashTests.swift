// Tests of a flash memory with a sector that no longer stores written data (SPEC 4.2, SAVE; 8.5).
// The board must notify the host, keep the stored settings, and continue the playback.

import BridgeLink
import CBridgeProtocol
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite(
    .enabled(if: ConformanceBoard.simulatedPico.absence == nil, "the simulated Pico is not built"))
struct WornFlashTests {
    private static let sectorSize = 4_096
    private static let sectors = [(2 << 20) - 2 * sectorSize, (2 << 20) - sectorSize]
    /// The bit of STATUS.faults that reports a memory that does not store written data.
    private static let storageFault: UInt16 = 0x4000
    /// The maximum number of writes and erasures that a SAVE may cause on worn memory.
    private static let handful = 10

    private static func named(_ name: String) -> ActuatorConfiguration {
        var configuration = ActuatorConfiguration.coinLRA
        configuration.name = name
        return configuration
    }

    /// Returns a board with a stored configuration and an unsaved configuration, and the sector
    /// that contains the stored configuration.
    private func board(storing first: String, then second: String) throws -> (ImageRig, Int) {
        let rig = try ImageRig(.pico, Self.named(first))
        try rig.save()
        let write = try #require(rig.board.trace.flashWrites.last { $0.count != nil })
        try rig.configure(Self.named(second))
        rig.board.forgetTrace()
        return (rig, write.address / Self.sectorSize * Self.sectorSize)
    }

    private func hasFault(_ rig: ImageRig) throws -> Bool {
        try rig.link.status().faults.rawValue & Self.storageFault != 0
    }

    @Test func aMemoryThatIsWornEndsInAFaultAndWhatWasStoredBeforeStillCounts() throws {
        let (rig, _) = try board(storing: "first", then: "second")
        Self.sectors.forEach(rig.board.wearOut(sectorAt:))
        for _ in 0..<3 {
            rig.board.forgetTrace()
            try rig.save()
            rig.link.run(for: 1_000_000)
            #expect((1...Self.handful).contains(rig.board.trace.flashWrites.count))
            #expect(try hasFault(rig))
        }
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.configuration().name == "first")
        #expect(try !hasFault(rig), "only a SAVE reports the fault")
    }

    @Test func aBoardOnWhichNothingCanBeStoredEndsInAFaultAndBeginsUnconfigured() throws {
        let rig = try ImageRig(.pico, Self.named("first"))
        Self.sectors.forEach(rig.board.wearOut(sectorAt:))
        try rig.save()
        #expect(try hasFault(rig))
        #expect(
            try rig.link.configuration().name == "first",
            "the configuration is valid until the next start")
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.actuator(0).state == .unconfigured)
    }

    /// Checks that the board uses the other sector if one sector is worn.
    @Test func whatDoesNotFitIntoAWornSectorIsStoredInTheOtherOne() throws {
        let (rig, sector) = try board(storing: "first", then: "second")
        rig.board.wearOut(sectorAt: sector)
        try rig.save()
        #expect(try !hasFault(rig))
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.configuration().name == "second")
    }

    /// Checks that all stored settings remain in a full sector if the other sector is worn, so that
    /// the board cannot move the settings.
    @Test func aSectorThatCannotMoveKeepsWhatItHolds() throws {
        let (rig, sector) = try board(storing: "0", then: "1")
        rig.board.wearOut(sectorAt: try #require(Self.sectors.first { $0 != sector }))
        var stored = 0
        for index in 1..<Self.sectorSize / 64 + 4 {
            try rig.configure(Self.named("\(index)"))
            try rig.save()
            if try hasFault(rig) { break }
            stored = index
        }
        #expect(stored > 32, "a sector has room for many saves")
        #expect(try hasFault(rig))
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.configuration().name == "\(stored)")
    }

    @Test func anActuatorPlaysOnWhileAWornMemoryIsTried() throws {
        let (rig, _) = try board(storing: "first", then: "second")
        Self.sectors.forEach(rig.board.wearOut(sectorAt:))
        let events = StreamSample.jumps(400, ticks: 8)
        rig.link.begin(EventStreamEncoder.encode(events), start: .after(50_000))
        rig.link.run(for: 200_000)
        #expect(try rig.link.carryOut(.save(actuator: 0)) == nil)
        rig.link.run(limit: 8_000_000) { $0.current?.outcome != nil }
        let playback = try #require(rig.link.current)
        #expect(try playback.outcome?.get() == .played)
        #expect(playback.progress.underruns == 0 && playback.progress.lateEvents == 0)
        #expect(try hasFault(rig))
        let levels = rig.board.transactions.levels.map(\.value).filter { $0 != 0 }
        #expect(Array(levels.suffix(400)) == events.levels)
    }
}
