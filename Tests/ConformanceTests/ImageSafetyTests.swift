// Tests of the limits that the image enforces for an actuator (SPEC 8, 9), and of its reports of
// resets (SPEC 4.2).

import BridgeLink
import CBridgeProtocol
import DRV2605
import Foundation
import TestSupport
import Testing
import VirtualBoard

@Suite struct ImageSafetyTests {
    private static let sustained = 32

    /// A configuration that allows an eighth of full level continuously, and full level for 2 s.
    private static let budgeted: ActuatorConfiguration = {
        var configuration = ActuatorConfiguration.coinLRA
        (configuration.sustained, configuration.budget) = (UInt8(sustained), 2_000)
        return configuration
    }()

    /// Returns a board with a stored configuration whose actuator has exhausted its energy budget.
    private func exhausted(_ simulator: BoardSimulator) throws -> ImageRig {
        let rig = try ImageRig(simulator, Self.budgeted)
        try rig.save()
        try rig.play(255, for: 3_000_000)
        #expect(try rig.link.status().faults.contains(.budget))
        rig.link.run(for: 50_000)
        rig.board.forgetTrace()
        return rig
    }

    // MARK: The energy budget

    @Test(arguments: BoardSimulator.here)
    func calibrationsAndDiagnosesDoNotGetRoundTheBudget(_ simulator: BoardSimulator) throws {
        let rig = try exhausted(simulator)
        let start = rig.board.now
        while rig.board.now < start + 20_000_000 {
            for command in [Command.calibrate(actuator: 0), .diagnose(actuator: 0)] {
                try rig.link.carryOut(command)
                rig.link.run(for: 10_000)
            }
        }
        let driven = rig.timeAbove(Self.sustained, since: start)
        #expect(driven < 3_000_000, "driven for \(driven / 1_000) ms of 20 s")
        #expect(try rig.link.actuator().state != .fault)
    }

    enum Reset: CaseIterable {
        case pin, cable, hang

        /// The available boards, each with every cause of reset that it supports.
        fileprivate static let here = BoardSimulator.here.flatMap { simulator in
            allCases.filter { $0 != .cable || simulator.isResetByDTR }.map { (simulator, $0) }
        }

        fileprivate func happen(to board: LockStepBoard) {
            switch self {
            case .pin: board.reset()
            case .cable: board.dataTerminalReady(true)
            case .hang: board.hang(interruptsOn: true)
            }
            board.advance(to: board.now + 400_000)
        }
    }

    /// Plays full level for half a second. Returns the time for which the chip was driven above the
    /// sustained level, in microseconds.
    private func timeAtFullLevel(_ rig: ImageRig) throws -> BoardTime {
        try rig.connect()
        rig.board.forgetTrace()
        let start = rig.board.now
        try rig.play(255, for: 500_000)
        return rig.timeAbove(Self.sustained, since: start)
    }

    @Test(arguments: Reset.here)
    func whatAnActuatorHasBorneOutlivesAReset(_ simulator: BoardSimulator, _ reset: Reset) throws {
        let rig = try exhausted(simulator)
        reset.happen(to: rig.board)
        let driven = try timeAtFullLevel(rig)
        #expect(driven < 50_000, "driven above the sustained level for \(driven / 1_000) ms")
    }

    @Test(arguments: BoardSimulator.here)
    func whatAnActuatorHasBorneIsForgottenWithoutPower(_ simulator: BoardSimulator) throws {
        let rig = try exhausted(simulator)
        rig.board.powerCycle()
        let driven = try timeAtFullLevel(rig)
        #expect(driven > 450_000, "full level for \(driven / 1_000) ms")
    }

    // MARK: Limits

    /// Checks a sample of the settings that `bridge actuator set` calculates.
    /// `HostConfigurationTests` checks all settings against the core.
    @Test(arguments: BoardSimulator.here, HapticChip.allCases)
    func theImageAcceptsWhatTheHostComputes(
        _ simulator: BoardSimulator, _ chip: HapticChip
    ) throws {
        let rig = try ImageRig(simulator, options: ["--chip", chip == .drv2605 ? "3" : "7"])
        for kind in [ActuatorKind.lra, .erm] {
            for loop in [DriveLoop.closed, .open]
            where chip == .drv2605L || kind == .erm || loop == .closed {
                for rated in stride(from: 500 as UInt16, through: 5_000, by: 640) {
                    for overdrive in Set([rated, min(rated + rated / 4, 5_600), 5_600]) {
                        let configuration = ActuatorConfiguration(
                            kind: kind, resonance: 125 + Double(rated) / 30, rated: rated,
                            overdrive: overdrive, chip: chip, loop: loop)
                        let reject = try rig.link.carryOut(.configure(configuration, actuator: 0))
                        #expect(reject == nil, "\(configuration)")
                    }
                }
                rig.link.run(for: 60_000)
                #expect(try rig.link.actuator(0).state == .atRest)
            }
        }
    }

    // MARK: The bus

    /// Checks disturbances that the controller mistakes for a STOP condition, at each bit of the
    /// transfers that wake and drive the chip.
    @Test(.enabled(if: ConformanceBoard.simulatedPico.absence == nil))
    func aDisturbanceDoesNotEndATransfer() throws {
        let rig = try ImageRig(.pico)
        for trial in 0..<100 as Range<BoardTime> {
            rig.hold(UInt8(100 + trial), for: 20_000)
            rig.link.run(for: 6_000)
            for moment in 0..<30 as Range<BoardTime> {
                rig.link.run(for: 400 + (trial + moment) % 7)
                rig.board.advance(to: rig.board.now + trial)
                rig.board.busIsDisturbed()
            }
            rig.link.run(limit: 1_000_000) { $0.current?.outcome != nil }
            #expect(try rig.link.current?.outcome?.get() == .played, "trial \(trial)")
            #expect(rig.board.driveChanges.contains { $0.drive > 0 }, "trial \(trial)")
            rig.link.run(for: 60_000)
            rig.board.forgetTrace()
        }
        let status = try rig.link.status()
        #expect(status.faults.isEmpty && status.busErrors == 0, "\(status)")
    }

    // MARK: Reports of resets

    static let bootLoader = PackageFolder.url.appending(path: ".build/simulator/optiboot.hex")

    private func cause(
        on simulator: BoardSimulator, options: [String] = [], of reset: (LockStepBoard) -> Void
    ) throws -> ResetCause? {
        let rig = try ImageRig(simulator, options: options)
        #expect(rig.welcome?.resetCause == .power)
        rig.link.run(for: 50_000)
        reset(rig.board)
        rig.board.advance(to: rig.board.now + 3_000_000)
        try rig.connect()
        return rig.welcome?.resetCause
    }

    @Test(arguments: BoardSimulator.here)
    func withoutABootLoaderEachResetIsReportedWithItsCause(_ simulator: BoardSimulator) throws {
        #expect(try cause(on: simulator) { $0.hang(interruptsOn: false) } == .watchdog)
        #expect(try cause(on: simulator) { $0.hang(interruptsOn: true) } == .watchdog)
        #expect(try cause(on: simulator) { $0.reset() } == .external)
    }

    /// Checks the reset causes that the image reports if Optiboot starts the image. Optiboot clears
    /// the flags of the cause, so the image can report only the causes that it has recorded itself.
    @Test(
        .enabled(
            if: ConformanceBoard.simulated.absence == nil
                && FileManager.default.fileExists(atPath: bootLoader.path),
            "optiboot is not built"))
    func behindABootLoaderThatHidesTheCauseNobodyIsBlamed() throws {
        let options = ["--bootloader", Self.bootLoader.path]
        func cause(of reset: (LockStepBoard) -> Void) throws -> ResetCause? {
            try self.cause(on: .atmega328p, options: options, of: reset)
        }
        #expect(try cause { $0.hang(interruptsOn: false) } == .unknown)
        #expect(try cause { $0.hang(interruptsOn: true) } == .watchdog)
        #expect(try cause { $0.reset() } == .unknown)
    }
}
