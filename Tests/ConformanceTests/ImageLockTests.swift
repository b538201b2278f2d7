// Tests that corrupted memory never removes the lock that an image has stored (SPEC 8.6).

import BridgeLink
import CBridgeProtocol
import DRV2605
import Foundation
import TestSupport
import Testing
import VirtualBoard

@Suite struct ImageLockTests {
    private static let storeMax = BoardTime(BRIDGE_SAVE_MAX_US)
    private static let limited: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.coinLRA
        (configuration.sustained, configuration.budget) = (128, 500)
        return configuration
    }()

    /// The state of a lock after its board has started.
    enum Finding { case open, holds, isShut }

    /// Connects and determines the state of the lock.
    private static func finding(_ rig: ImageRig) throws -> Finding {
        try rig.connect()
        let hasFault = try rig.link.status().faults.contains(.storage)
        let isLocked = try rig.link.actuator(0).isLocked
        var greater = limited
        greater.budget = 501
        let refused = try rig.link.carryOut(.configure(greater, actuator: 0))
        if refused == nil {
            #expect(!hasFault && !isLocked)
            return .open
        }
        #expect(isLocked)
        let same = try rig.link.carryOut(.configure(limited, actuator: 0))
        if same == nil {
            #expect(!hasFault)
            return .holds
        }
        #expect(hasFault)
        #expect(same == Reject(type: .configure, code: .range, offset: 1, limit: 127))
        return .isShut
    }

    private static func afterPowerCycle(_ rig: ImageRig) throws -> Finding {
        rig.board.powerCycle()
        return try finding(rig)
    }

    private static func lock(_ rig: ImageRig) throws {
        #expect(try rig.link.carryOut(.lock(actuator: 0)) == nil)
    }

    /// Returns a board with a stored lock, and the addresses of the lock's two copies as arrays of
    /// equal length in the same order.
    private static func lockedBoard(_ simulator: BoardSimulator) throws -> (ImageRig, [[Int]]) {
        let rig = try ImageRig(simulator, limited)
        try rig.save()
        rig.board.forgetTrace()
        try lock(rig)
        rig.link.run(for: storeMax)
        let cells = rig.board.trace.writtenCells
        try #require(cells.count >= 28 && cells.count.isMultiple(of: 2))
        let half = cells.count / 2
        return (rig, [Array(cells[..<half]), Array(cells[half...])])
    }

    /// Positions throughout a copy, as fractions of its length, each with a bit to flip.
    private static let spots: [(share: Double, bit: Int)] =
        [(0, 3), (0.14, 0), (0.28, 5), (0.43, 2), (0.57, 7), (0.71, 4), (0.86, 1), (1, 6)]

    private static func damage(_ rig: ImageRig, _ copy: [Int], _ spot: (share: Double, bit: Int)) {
        rig.board.damage(
            cell: copy[Int(spot.share * Double(copy.count - 1))], bits: 1 << spot.bit)
    }

    /// Damages one copy. The board restores this copy when it starts, so the other copy may be lost
    /// afterwards.
    @Test(arguments: BoardSimulator.here, [0, 1])
    func aLockOutlastsTheLossOfEitherCopyAndThenOfTheOther(
        _ simulator: BoardSimulator, copy: Int
    ) throws {
        for spot in Self.spots {
            let (rig, copies) = try Self.lockedBoard(simulator)
            Self.damage(rig, copies[copy], spot)
            #expect(try Self.afterPowerCycle(rig) == .holds, "\(spot)")
            rig.link.run(for: Self.storeMax)
            Self.damage(rig, copies[1 - copy], spot)
            #expect(try Self.afterPowerCycle(rig) == .holds, "\(spot), the other")
        }
    }

    @Test(arguments: BoardSimulator.here)
    func aLockThatIsLostTwiceIsShutUntilTheJumperUndoesIt(_ simulator: BoardSimulator) throws {
        var findings: [Finding] = []
        for spot in Self.spots {
            let (rig, copies) = try Self.lockedBoard(simulator)
            for copy in copies { Self.damage(rig, copy, spot) }
            let found = try Self.afterPowerCycle(rig)
            findings.append(found)
            rig.link.run(for: Self.storeMax)
            #expect(try Self.afterPowerCycle(rig) == found)
            rig.board.jumper(true)
            for _ in 0..<3 { #expect(try Self.afterPowerCycle(rig) == .open, "\(spot)") }
            rig.link.run(for: Self.storeMax)
            rig.board.jumper(false)
            #expect(try Self.afterPowerCycle(rig) == .open, "\(spot)")
        }
        #expect(!findings.contains(.open))
        #expect(findings.count { $0 == .isShut } >= findings.count / 2)
    }

    /// The RP2040 moves its records to the other flash sector when a sector is full. A bit of
    /// either copy flips while the board is running.
    @Test(arguments: BoardSimulator.here, [0, 1])
    func aLockThatIsDamagedWhileTheBoardRunsIsMovedAsItWas(
        _ simulator: BoardSimulator, copy: Int
    ) throws {
        let (rig, copies) = try Self.lockedBoard(simulator)
        // The test corrupts the high byte of the budget, which would change the budget to 33 s.
        // This byte is the tenth byte of a lock; a slot of the flash begins with 2 additional
        // bytes.
        let budget = simulator.hasEEPROM ? 9 : 11
        rig.board.damage(cell: copies[copy][budget], bits: 0x80)
        var other = Self.limited
        for round in 0..<70 {
            other.brake = UInt8(20 + round % 2)
            try rig.configure(other)
            try rig.save()
        }
        #expect(try Self.afterPowerCycle(rig) == .holds)
    }

    /// Checks starts in which the board reads one byte incorrectly, at any position, although the
    /// memory itself is unchanged.
    @Test(arguments: BoardSimulator.here)
    func aLockThatIsMisreadOnceDoesNotOpen(_ simulator: BoardSimulator) throws {
        let (rig, _) = try Self.lockedBoard(simulator)
        // At startup, the Uno reads about 100 bytes. The Pico reads two sectors and then the
        // records that it finds.
        let readings = simulator.hasEEPROM ? Array(0..<140) : Proof.thinned(0..<14_000, every: 97)
        for reading in readings {
            rig.board.misread(after: reading, bits: reading.isMultiple(of: 2) ? 0x80 : 0x01)
            let read = try Self.afterPowerCycle(rig)
            #expect(read != .open, "reading \(reading)")
            if read != .holds {
                #expect(try Self.afterPowerCycle(rig) == .holds, "after reading \(reading)")
            }
        }
    }

    @Test(.enabled(if: ConformanceBoard.simulated.absence == nil))
    func aLockWhoseFirstPlaceIsWornIsInTheSecond() throws {
        let (_, copies) = try Self.lockedBoard(.atmega328p)
        let rig = try ImageRig(.atmega328p, Self.limited)
        rig.board.wearOut(cell: copies[0][1])
        try Self.lock(rig)
        rig.link.run(for: Self.storeMax)
        #expect(try rig.link.status().faults.contains(.storage))
        rig.board.forgetTrace()
        rig.link.run(for: 1_000_000)
        #expect(rig.board.trace.cellWrites.isEmpty)
        rig.board.powerCycle()
        try rig.connect()
        #expect(try rig.link.actuator(0).isLocked)
    }

    /// Interrupts the power at many times while the board stores a lock.
    @Test(arguments: BoardSimulator.here)
    func powerThatFailsDuringALockLeavesTheOldLimitsOrTheNewOnes(
        _ simulator: BoardSimulator
    ) throws {
        var tighter = Self.limited
        tighter.budget = 100
        var greater = Self.limited
        greater.budget = 501
        var limits: Set<UInt32?> = []
        for delay in stride(from: BoardTime(0), through: 130_000, by: 6_500) {
            let rig = try ImageRig(simulator, Self.limited)
            for configuration in [Self.limited, tighter] {
                try rig.configure(configuration)
                try Self.lock(rig)
                rig.link.run(for: delay)
                rig.board.powerCycle()
                try rig.connect()
                #expect(try rig.link.status().faults.isDisjoint(with: .storage), "\(delay) us")
                let refused = try rig.link.carryOut(.configure(greater, actuator: 0))
                limits.insert(refused?.limit)
                #expect(refused == nil || refused?.offset == 35, "\(delay) us")
            }
        }
        #expect(limits == [nil, 500, 100])
    }

    /// Starts boards whose memory contains data from another program.
    @Test(arguments: BoardSimulator.here, [0x00, 0x4C, 0x5A, 0xB2, 0x100, 0x101, 0x102])
    func aMemoryOfAnotherOriginHoldsNoLock(_ simulator: BoardSimulator, fill: Int) throws {
        var random = SeededGenerator(seed: UInt64(fill))
        let size = simulator.hasEEPROM ? 1024 : 2 << 20
        let bytes = (0..<size).map { _ in
            fill > 0xFF ? UInt8.random(in: 0...255, using: &random) : UInt8(fill)
        }
        let folder = Folder()
        let file = folder.url.appending(path: "memory")
        try Data(bytes).write(to: file)
        let option = simulator.hasEEPROM ? "--eeprom" : "--flash"
        let rig = try ImageRig(simulator, Self.limited, options: [option, file.path])
        try rig.save()
        #expect(try Self.afterPowerCycle(rig) == .open)
        try rig.configure(Self.limited)
        try Self.lock(rig)
        rig.link.run(for: Self.storeMax)
        #expect(try Self.afterPowerCycle(rig) == .holds)
    }

    @Test(.enabled(if: ConformanceBoard.simulated.absence == nil))
    func aLockHoldsInAnImageForMoreActuators() throws {
        let folder = Folder()
        let options = ["--eeprom", folder.url.appending(path: "eeprom").path]
        let rig = try ImageRig(.atmega328p, Self.limited, options: options)
        try rig.save()
        try Self.lock(rig)
        rig.link.run(for: Self.storeMax)
        var several = BoardSimulator.atmega328p
        several.image = several.severalImage
        let link = IdealLink(
            try LockStepBoard(several, options: options + ["--actuators", "4"]), sessionID: 7)
        #expect(link.connect(limit: 4_000_000))
        #expect(try (0..<4).map { try link.actuator($0).isLocked } == [true, false, false, false])
        #expect(try link.configuration() == Self.limited)
    }
}
