// Tests that `bridge accept` names the cause of each defect of a board.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import AcceptanceReports
@testable import bridge

/// A defect of a board, and the verdict that must name the cause of the defect.
enum BoardDefect: CaseIterable {
    case noActuator, shorted, lowSupply, weakSupply, wrongResonance
    case noPullUps, swappedWires, enableTiedHigh, enableOpen, stalledHost, stalledCalibration
    case stalledRest, busyHost, busyClock, slowCrystal, ermAsLRA, lraAsERM, foreignChip, noChip,
        unconfigured, resetOnLoad,
        chipResetOnLoad

    /// The options of the virtual board.
    var options: [String] {
        switch self {
        case .foreignChip: ["--chip", "5"]
        case .noChip: ["--actuators", "1", "--dead", "0"]
        case .unconfigured: ["--unconfigured"]
        default: []
        }
    }

    /// The fault of the chip from power-up on; nil if the chip has no fault.
    var chip: ChipFault? {
        switch self {
        case .noActuator: .diagnostics(.open)
        case .shorted: .short(true)
        case .noPullUps: .weakPullUps(true)
        case .swappedWires: .swappedWires(true)
        case .enableTiedHigh: .enable(.high)
        case .enableOpen: .enable(.low)
        case .lraAsERM: .attached(.lra)
        case .lowSupply: .supply(millivolts: 2_800, sag: 0)
        case .weakSupply: .supply(millivolts: 4_900, sag: 800)
        case .wrongResonance: .resonance(hertz: 235)
        case .ermAsLRA: .attached(.erm)
        default: nil
        }
    }

    /// True if the board detects the defect when it starts.
    var isOfWires: Bool {
        [.noPullUps, .swappedWires, .enableTiedHigh, .enableOpen].contains(self)
    }

    /// True if the computer runs the program only for short periods.
    var isBusy: Bool { [.busyHost, .busyClock].contains(self) }
    /// True if the computer temporarily does not run the program.
    var isOfHost: Bool {
        isBusy || [.stalledHost, .stalledCalibration, .stalledRest].contains(self)
    }

    /// The words of the verdict, and the exit status.
    var verdict: (words: String, status: Int32) {
        switch self {
        case .noActuator: ("no actuator is connected", 82)
        case .shorted: ("shorted", 82)
        case .noPullUps: ("the edges on the bus are too slow", 81)
        case .swappedWires: ("SDA and SCL are swapped at the driver", 81)
        case .enableTiedHigh: ("EN is tied high", 81)
        case .enableOpen: ("its EN pin is not connected", 81)
        case .slowCrystal: ("the oscillator of the board deviates by more than a quarter", 74)
        case .stalledHost, .stalledCalibration, .stalledRest:
            ("this computer did not run the program", 75)
        case .busyHost, .busyClock: ("this computer is busy", 75)
        case .lraAsERM: ("it is not the configured ERM", 82)
        case .lowSupply: ("the supply of the driver is too low", 83)
        case .weakSupply: ("the supply voltage drops under the load", 83)
        case .wrongResonance: ("does not resonate at the configured 170 Hz", 82)
        case .ermAsLRA: ("it is not the configured LRA", 82)
        case .foreignChip: ("a chip with the id 5 answers", 81)
        case .noChip: ("pull-up resistors", 81)
        case .unconfigured: ("is not configured", 78)
        case .resetOnLoad: ("the board was reset during the step", 83)
        case .chipResetOnLoad: ("the driver needs 200 mA at 3 V or more", 83)
        }
    }

    /// The steps of the test that detect the defect.
    var steps: [String] {
        let steps: [AcceptanceStep] =
            switch self {
            case .foreignChip, .noChip, .unconfigured, .noPullUps, .swappedWires, .enableOpen:
                [.identity]
            case .noActuator, .shorted, .ermAsLRA, .lraAsERM, .enableTiedHigh,
                .stalledCalibration:
                [.actuator]
            case .stalledHost, .slowCrystal, .busyClock: [.clock]
            case .stalledRest: [.rest]
            case .busyHost: [.link]
            default: [.drive]
            }
        return steps.flatMap { ["--only", $0.rawValue] }
    }
}

@Suite(.virtualTool) struct AcceptDefectTests: AcceptSuite {
    let folder = Folder()

    @Test(arguments: BoardDefect.allCases)
    func eachDefectIsNamedByItsCause(_ defect: BoardDefect) throws {
        let board = try LiveBoard(
            options: defect.options, ppm: defect == .slowCrystal ? -4_000 : 0)
        if defect == .lraAsERM {
            let set = try Tool.bridge(
                "actuator", "set", "--kind", "erm", "--rated", "3", "--overdrive", "3.6", "--port",
                board.port)
            try #require(set.status == 0, "\(set)")
        }
        if let fault = defect.chip { board.chip(fault) }
        if defect.isOfWires {
            pause(1_000)
            board.reset()
            pause(1_000_000)
        }
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port] + defect.steps)
        if defect == .resetOnLoad || defect == .chipResetOnLoad {
            #expect(wait { board.level > 100 })
            defect == .resetOnLoad ? board.reset() : board.chip(.brownOut)
        }
        if defect == .stalledHost { pause(10_000_000) }
        if defect == .stalledCalibration { #expect(wait { board.mode == 7 }) }
        if defect == .stalledRest { #expect(wait { board.level > 0 }) }
        while defect.isOfHost, tool.isRunning {
            tool.signal(SIGSTOP)
            pause(defect.isBusy ? 70_000 : 400_000)
            tool.signal(SIGCONT)
            pause(defect == .busyClock ? 1_000 : defect.isBusy ? 10_000 : 60_000_000)
        }
        let outcome = tool.outcome()
        #expect(outcome.status == defect.verdict.status, "\(outcome)")
        let text = outcome.output.split(separator: "\n").drop { !$0.contains("failed") }
        #expect(text.joined(separator: "\n").contains(defect.verdict.words), "\(outcome.output)")
    }

    /// Deviations within the tolerances of the parts are not reported as defects: 0.1 % for the
    /// crystal, 5 % for the supply, and 15 % for the actuator.
    @Test(arguments: 0..<50) func tolerancesOfPartsAreNoDefects(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let board = try LiveBoard(options: [], ppm: Int.random(in: -1_000...1_000, using: &random))
        board.chip(
            .supply(
                millivolts: .random(in: 4_750...5_200, using: &random),
                sag: .random(in: 0...150, using: &random)))
        board.chip(.resonance(hertz: .random(in: 145...195, using: &random)))
        let outcome = try accept(board)
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func aShortedActuatorIsNotDrivenAgain() throws {
        let board = try LiveBoard()
        board.chip(.short(true))
        let outcome = try accept(board, "--only", "actuator", "--only", "drive", "--only", "rest")
        #expect(outcome.status == 82, "\(outcome)")
        #expect(board.levels(since: 0).isEmpty)
        #expect(outcome.output.contains("its last diagnosis has failed"))
    }
}
