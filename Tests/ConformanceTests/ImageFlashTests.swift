// Tests of the flash memory in which an image stores its settings (SPEC 4.2, SAVE): the data that
// the image writes, and the contents after a loss of power.

import BridgeLink
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite(
    .enabled(if: ConformanceBoard.simulatedPico.absence == nil, "the simulated Pico is not built"))
struct ImageFlashTests {
    private static let sectorSize = 4_096

    private static func named(_ name: String) -> ActuatorConfiguration {
        var configuration = ActuatorConfiguration.coinLRA
        configuration.name = name
        return configuration
    }

    @Test func savingWhatIsStoredWritesNothing() throws {
        let rig = try ImageRig(.pico, Self.named("same"))
        try rig.save()
        rig.board.forgetTrace()
        for _ in 0..<100 { #expect(try rig.link.carryOut(.save(actuator: 0)) == nil) }
        rig.link.run(for: BoardTime(BRIDGE_SAVE_MAX_US))
        #expect(rig.board.trace.flashWrites.isEmpty)
    }

    @Test func onlyTheLastTwoSectorsAreWritten() throws {
        let rig = try ImageRig(.pico, Self.named("first"))
        rig.board.forgetTrace()
        for index in 0..<200 {
            try rig.configure(Self.named("number \(index)"))
            try rig.save()
        }
        let writes = rig.board.trace.flashWrites
        #expect(writes.count { $0.count == nil } >= 2, "both sectors are used")
        let end = 2 << 20
        #expect(writes.allSatisfy { (end - 2 * Self.sectorSize..<end).contains($0.address) })
        #expect(writes.count { $0.count == nil } <= 60, "a sector has room for many saves")
    }

    /// A flash memory in which the sector in use has no room for a further record.
    private static let full = Result {
        let folder = Folder()
        let rig = try ImageRig(.pico, named("0"), options: ["--flash", folder.path("flash")])
        for index in 1..<sectorSize / 64 {
            try rig.configure(named("\(index)"))
            try rig.link.carryOut(.save(actuator: 0))
            rig.link.run(for: 20_000)
        }
        try rig.configure(named("old"))
        try rig.save()
        return folder.data("flash")
    }

    /// Interrupts the power at many times during a SAVE that begins with the erasure of a sector or
    /// with a record. Checks that the previous settings or the new settings are present afterwards.
    @Test(arguments: [false, true], 0..<4)
    func aLossOfPowerAtAnyPointLeavesOneOfTheTwoConfigurations(isFull: Bool, part: Int) throws {
        let folder = Folder()
        let flash = folder.path("flash")
        for point in Proof.thinned(0..<16, every: 4) {
            if isFull { _ = try folder.write("flash", try Self.full.get()) }
            let rig = try ImageRig(
                .pico, Self.named("old"), options: isFull ? ["--flash", flash] : [])
            if !isFull { try rig.save() }
            try rig.configure(Self.named("new"))
            #expect(try rig.link.carryOut(.save(actuator: 0)) == nil)
            let time = BoardTime(point * 4 + part) * (isFull ? 1_571 : 53)
            rig.board.advance(to: rig.board.now + time)
            rig.board.powerCycle()
            rig.board.advance(to: rig.board.now + 1_000_000)
            try rig.connect()
            let name = try rig.link.configuration().name
            #expect(["old", "new"].contains(name), "\(time) us after SAVE")
            try rig.save()
        }
    }
}
