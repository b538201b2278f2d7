// Tests of `bridge accept` on a board whose accelerometer measures the end of vibrations.

import AcceptanceReports
import BridgeLink
import CDRV2605Model
import DRV2605
import HapticBridge
import TestSupport
import Testing
import ToolSupport
import VirtualBoard

@testable import AcceptanceReports
@testable import bridge

@Suite(.virtualTool) struct AcceptSensorTests: AcceptSuite {
    let folder = Folder()

    private static let names = [
        "time from a stop to measured rest", "time from silence to measured rest",
    ]

    @Test(arguments: ["lis3dh", "lis2dw12", "lsm6dso"])
    func theEndOfAVibrationIsMeasured(_ sensor: String) throws {
        let outcome = try accept(try LiveBoard("--sensor", sensor), "--only", "rest")
        #expect(outcome.status == 0, "\(outcome)")
        let checks = try AcceptanceReport(path: report).steps[0].checks
        let measured = checks.filter { Self.names.contains($0.name) }
        #expect(measured.map(\.name) == Self.names)
        for (check, range) in zip(measured, [5.0...80, 150...350]) {
            #expect(try range ~= #require(check.value), "\(check)")
        }
        let other = try LiveBoard("--sensor", sensor)
        let replay = try Tool.bridge("accept", "replay", report, "--port", other.port)
        #expect(replay.status == 0, "\(replay)")
    }

    /// Carries out a step on a board whose motion or chip is changed. Returns the checks of the step.
    private func checks(
        of step: AcceptanceStep, on configuration: ActuatorConfiguration,
        _ change: (InProcessBoard) -> Void = { _ in }
    ) throws -> [AcceptanceCheck] {
        var options = InProcessBoard.Options()
        options.configuration = configuration.bytes
        options.sensor = ACCELEROMETER_LSM6DSO
        let device = InProcessBoard(options: options)
        change(device)
        let board = try HapticBoard(VirtualTransport(device))
        defer { board.close() }
        try board.waitUntilSettled()
        let run = AcceptanceRun(
            board: board, use: ExclusiveUse(of: [board]), person: nil, analyzer: nil)
        return run.result(of: step).checks
    }

    @Test func aVibrationThatDoesNotEndFails() throws {
        let checks = try checks(of: .rest, on: .coinLRA) {
            $0.motion.pointee.vibrations.0.actuator.parameters.lra.quality = 1_500
        }
        let failed = checks.filter { $0.verdict == .failed }
        #expect(failed.map(\.name) == Self.names, "\(checks)")
        #expect(failed.allSatisfy { $0.status == 82 })
    }

    @Test func aVibrationThatIsNotSensedIsSkipped() throws {
        let checks = try checks(of: .rest, on: .coinLRA) {
            $0.motion.pointee.vibrations.0.direction = (1, 0, 0)
        }
        #expect(checks.filter { $0.verdict == .skipped }.map(\.name) == Self.names, "\(checks)")
        #expect(!checks.contains { $0.verdict == .failed })
    }

    /// Checks the three hypotheses about register 20 of the chip: the accelerometer distinguishes a
    /// chip that changes the frequency while it drives from a chip that does not.
    @Test(arguments: [
        (MODEL_PERIOD_AT_NEXT_HALF_CYCLE, "80 Hz, then 29", "while it drives"),
        (MODEL_PERIOD_IMMEDIATELY, "80 Hz, then 29", "while it drives"),
        (MODEL_PERIOD_AT_NEXT_START, "80 Hz, then 80 Hz", "only when it starts from rest"),
    ])
    func theChangeOfTheFrequencyIsMeasured(
        _ rule: drv2605_model_period_rule, _ frequencies: String, _ conclusion: String
    ) throws {
        let checks = try checks(of: .drive, on: .wideBand) { $0.chip.pointee.period_rule = rule }
        let check = try #require(checks.first { $0.name == "actuator 0, measured frequency" })
        #expect(check.verdict == .passed, "\(check)")
        let note = try #require(check.note)
        #expect(note.hasPrefix(frequencies) && note.hasSuffix(conclusion), "\(note)")
    }

    /// Checks that nothing is concluded from a pattern that hardly changes the frequency: in a narrow
    /// band, and in a band that the absolute law leaves only at its lowest frequency.
    @Test(arguments: [(220.0, .logarithmic), (310, .absolute)] as [(Double, ActuatorBand.Law)])
    func aChangeOfTheFrequencyThatIsTooSmallIsNotMeasured(
        _ lowest: Double, _ law: ActuatorBand.Law
    ) throws {
        let configuration = ActuatorConfiguration(
            band: lowest...lowest * 1.3, law: law, rated: 2_000, overdrive: 3_000)
        let checks = try checks(of: .drive, on: configuration)
        let check = try #require(checks.first { $0.name == "actuator 0, measured frequency" })
        #expect(check.verdict == .skipped && check.note == AcceptanceRun.narrow, "\(check)")
    }
}
