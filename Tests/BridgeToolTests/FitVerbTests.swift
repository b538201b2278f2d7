// Tests of `bridge fit` with virtual boards that have an accelerometer.

import BridgeLink
import CDRV2605Model
import DRV2605
import Foundation
import HapticBridge
import HapticCompiler
import Prediction
import TestSupport
import Testing
import ToolSupport
import VirtualBoard

@testable import bridge

@Suite(.virtualTool) struct FitVerbTests {
    private let folder = Folder()

    private func tool(_ arguments: String...) throws -> Outcome { try tool(arguments) }

    private func tool(_ arguments: [String]) throws -> Outcome { try started(arguments).outcome() }

    private func started(_ arguments: [String]) throws -> RunningTool {
        try RunningTool(
            Tool.executable("bridge"), arguments,
            environment: ["XDG_CONFIG_HOME": folder.url.path])
    }

    /// Returns a fit that is driving the actuator of a board.
    private func drivingFit(on board: LiveBoard) throws -> RunningTool {
        let fit = try started(["fit", "--port", board.port, "--name", "desk"])
        #expect(wait { board.level > 0 })
        return fit
    }

    private func profile(_ name: String) -> String {
        folder.path("haptic-bridge/profiles/\(name).json")
    }

    @Test(arguments: ["lis3dh", "lis2dw12", "lsm6dso"])
    func anLRAIsFittedAndRenderedByItsName(_ sensor: String) throws {
        let board = try LiveBoard("--sensor", sensor)
        let set = try tool(
            "actuator", "set", "--port", board.port, "--time-constant", "30", "--acceleration", "1")
        #expect(set.status == 0, "\(set.errors)")
        let outcome = try tool(
            "fit", "--port", board.port, "--name", "desk", "--mounting", "wax", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let result = try #require(outcome.objects.first)
        #expect(result["schema"] as? String == "bridge.fit/1")
        #expect(result["axis"] as? String == "z" && result["saved"] as? Bool == true)
        let fit = try #require(result["fit"] as? [String: Any])
        // The virtual board moves like the coin LRA with a resonance of 170 Hz, an acceleration of
        // 1.5 g and a quality factor of 10.
        #expect(abs((fit["frequency_hz"] as? Double ?? 0) - 170) < 1)
        #expect(abs((fit["time_constant_ms"] as? Double ?? 0) - 18.72) < 0.9)
        #expect(abs((fit["acceleration_g"] as? Double ?? 0) - 1.5) < 0.075)
        let shown = try tool("actuator", "show", "--port", board.port)
        #expect(shown.output.contains("time constant 18."), "\(shown.output)")
        let file = folder.path("haptic-bridge/profiles/desk.json")
        let profile = try DeviceProfile(json: [UInt8](Data(contentsOf: URL(filePath: file))))
        #expect(profile.name == "desk" && profile.kind == .lra)
        #expect(abs((profile.plant?.timeConstant ?? 0) - 18_720) < 900)
        let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        #expect(text.contains(#""mounting": "wax""#) && text.contains(#""axis": "z""#))
        #expect(text.contains(#""sensorGain": "not calibrated""#), "\(text)")
        let stored = folder.path("haptic-bridge/profiles")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stored) == ["desk.json"])
        let explained = try tool("explain", "--profile", "desk", "success")
        #expect(explained.status == 0, "\(explained.errors)")
        #expect(explained.output.contains("desk"))
    }

    @Test func anActuatorOfAnotherKindIsAMisfit() throws {
        let board = try LiveBoard("--sensor", "lsm6dso")
        board.chip(.attached(.lra))
        let set = try tool("actuator", "set", "B1034.FL45-00-015", "--port", board.port)
        #expect(set.status == 0, "\(set.errors)")
        let outcome = try tool("fit", "--port", board.port, "--name", "wrong", "--axis", "z")
        #expect(outcome.status == 82, "\(outcome)")
        #expect(outcome.errors.contains("fix the actuator and the accelerometer firmly"))
        #expect(outcome.errors.contains("check with `bridge actuator show`"))
        #expect(!FileManager.default.fileExists(atPath: profile("wrong")))
        let shown = try tool("actuator", "show", "--port", board.port)
        #expect(shown.output.contains("start 2.00 V, friction 0.80 V"), "\(shown.output)")
    }

    /// The actuator of the virtual board is of the kind for which the board is configured.
    @Test(arguments: [false, true])
    func theMotorOfAVirtualBoardMovesAsConfigured(isOpenLoop: Bool) throws {
        let board = try LiveBoard("--sensor", "lsm6dso")
        let set = try tool(
            ["actuator", "set", "B1034.FL45-00-015", "--port", board.port]
                + (isOpenLoop ? ["--open-loop"] : []))
        #expect(set.status == 0, "\(set.errors)")
        let path = try folder.write("hold.ahap", Samples.buzz(seconds: 1))
        let measured = try tool("measure", "--port", board.port, "--axis", "x", "--json", path)
        #expect(measured.status == 0 && measured.errors.isEmpty, "\(measured.errors)")
        let comparison = try #require(measured.objects.first)
        #expect(try #require(comparison["prediction_jnd_mean"] as? Double) < 0.3)
        let outcome = try tool("fit", "--port", board.port, "--name", "motor", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let result = try #require(outcome.objects.first)
        #expect(result["axis"] as? String == "x")
        let fit = try #require(result["fit"] as? [String: Any])
        #expect(abs((fit["time_constant_ms"] as? Double ?? 0) - 40) < 2)
        #expect(abs((fit["acceleration_g"] as? Double ?? 0) - 0.8) < 0.04)
        #expect(abs((fit["start_volts"] as? Double ?? 0) - 2) < 0.1)
    }

    @Test func anotherProgramStopsAFit() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        let fit = try drivingFit(on: board)
        let stop = try tool("stop", "--port", board.port)
        #expect(stop.status == 0, "\(stop)")
        #expect(board.isAtRest)
        let outcome = fit.outcome()
        #expect(outcome.status == 130, "\(outcome)")
        #expect(outcome.errors.contains("stopped by another program; the actuator is at rest"))
        #expect(!FileManager.default.fileExists(atPath: profile("desk")))
    }

    @Test func ctrlCEndsAFitAtRest() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        let fit = try drivingFit(on: board)
        fit.signal(SIGINT)
        let outcome = fit.outcome()
        #expect(outcome.wasEnded(by: SIGINT) && board.isAtRest, "\(outcome)")
        #expect(outcome.errors.contains("stopped; the actuator is at rest"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: profile("desk")))
    }

    @Test func aProfileThatCannotBeWrittenIsReportedBeforeTheActuatorMoves() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        try FileManager.default.createDirectory(
            atPath: profile("desk"), withIntermediateDirectories: true)
        let before = try tool("actuator", "show", "--port", board.port)
        let outcome = try tool("fit", "--port", board.port, "--name", "desk")
        #expect(outcome.status == 73 && outcome.errors.contains("desk.json: cannot be written"))
        #expect(!outcome.errors.contains("recording"))
        #expect(try tool("actuator", "show", "--port", board.port).output == before.output)
    }

    /// Returns a board with an accelerometer.
    private func board(_ configuration: ActuatorConfiguration) throws -> HapticBoard {
        var options = InProcessBoard.Options()
        options.configuration = configuration.bytes
        options.sensor = ACCELEROMETER_LIS2DW12
        let board = try HapticBoard(VirtualTransport(InProcessBoard(options: options)))
        try board.waitUntilSettled()
        return board
    }

    @Test func theGainOfTheUserDoesNotAffectAFit() throws {
        let board = try board(.coinLRA)
        defer { board.close() }
        var quiet = HapticSettings()
        quiet.gain = 0.5
        try board.apply(quiet)
        let measurement = FitMeasurement(board, 0, .coinLRA, gain: 1) { _ in }
        #expect(try abs(measurement.fit(.z).fit.acceleration.value - 1.5) < 0.075)
    }

    @Test func theGainOfTheSensorScalesTheAccelerationAndItsUncertainty() throws {
        let board = try board(.coinLRA)
        defer { board.close() }
        func acceleration(_ gain: Double?) throws -> FittedActuator.Value {
            try FitMeasurement(board, 0, .coinLRA, gain: gain) { _ in }.fit(.z).fit.acceleration
        }
        let exact = try acceleration(1)
        let scaled = try acceleration(1.1)
        #expect(abs(scaled.value / exact.value - 1 / 1.1) < 0.01, "\(scaled), \(exact)")
        let unknown = try acceleration(nil)
        #expect(abs(unknown.value / exact.value - 1) < 0.01)
        // The sensitivity of an accelerometer that has not been calibrated is uncertain.
        #expect(unknown.uncertainty > 1.5 * exact.uncertainty, "\(unknown), \(exact)")
    }

    @Test func aLevelThatTheActuatorToleratesIsFittedInPlaceOfFullLevel() throws {
        var configuration = ActuatorConfiguration.coinLRA
        (configuration.sustained, configuration.budget) = (150, 20)
        let board = try board(configuration)
        defer { board.close() }
        let measurement = FitMeasurement(board, 0, configuration, gain: 1) { _ in }
        let (fit, explanation, _) = try measurement.fit(.z)
        #expect(!explanation.isMisfit && abs(fit.acceleration.value - 1.5) < 0.075)
    }

    @Test func aFitThatTheEnergyBudgetLimitsIsNotAMisfit() throws {
        var configuration = ActuatorConfiguration.coinLRA
        (configuration.sustained, configuration.budget) = (20, 1_000)
        let board = try board(configuration)
        defer { board.close() }
        let measurement = FitMeasurement(board, 0, configuration, gain: 1) { _ in }
        #expect(throws: FitError.limited) {
            for _ in 0..<3 { _ = try measurement.fit(.z) }
        }
    }

    @Test func alongAnAxisThatDoesNotMoveNothingIsMeasured() throws {
        let outcome = try tool("fit", "--virtual", "--name", "still", "--axis", "x")
        #expect(outcome.status == 82)
        #expect(outcome.errors.contains("no vibration was measured"), "\(outcome.errors)")
    }

    @Test func withoutASensorOrAnActuatorNothingIsFitted() throws {
        let bare = try LiveBoard()
        let outcome = try tool("fit", "--port", bare.port, "--name", "desk")
        #expect(outcome.status == 81)
        #expect(outcome.errors.contains("the board has found no accelerometer"))
        let unconfigured = try LiveBoard("--unconfigured", "--sensor", "lis3dh")
        let refused = try tool("fit", "--port", unconfigured.port, "--name", "desk")
        #expect(refused.status == 78, "\(refused)")
        let open = try LiveBoard("--sensor", "lis3dh")
        let set = try tool(
            "actuator", "set", "--kind", "lra", "--resonance", "170", "--rated", "2.5",
            "--overdrive", "3.5", "--open-loop", "--port", open.port)
        #expect(set.status == 0, "\(set.errors)")
        let unsupported = try tool("fit", "--port", open.port, "--name", "desk")
        #expect(unsupported.status == 64)
        #expect(unsupported.errors.contains("an LRA in open loop cannot be fitted"))
    }

    @Test func theResponseOfAnActuatorWithABandIsStoredAndRendered() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        let set = try tool(
            "actuator", "set", "--kind", "wide-band", "--band", "80-300", "--rated", "2",
            "--overdrive", "3", "--port", board.port)
        #expect(set.status == 0, "\(set.errors)")
        let outcome = try tool("fit", "--port", board.port, "--name", "desk", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let result = try #require(outcome.objects.first)
        let fit = try #require(result["fit"] as? [String: Any])
        let response = try #require(fit["response"] as? [[String: Double]])
        #expect(response.count == 16)
        // The virtual board moves equally strongly at each frequency, with 1.5 g.
        for point in response { #expect(abs((point["acceleration_g"] ?? 0) - 1.5) < 0.15) }
        let file = folder.path("haptic-bridge/profiles/desk.json")
        let profile = try DeviceProfile(json: [UInt8](Data(contentsOf: URL(filePath: file))))
        #expect(profile.kind == .wideBand && profile.band?.response.count == 16)
        #expect(profile.band?.law == .logarithmic)
        let text = try Data(contentsOf: URL(filePath: file))
        let members = try JSONSerialization.jsonObject(with: text) as? [String: Any]
        let origin = try #require(members?["origin"] as? [String: Any])
        let accelerations = try #require(origin["accelerations"] as? [[Double]])
        let reported = try response.map {
            [
                try #require($0["frequency_hz"]), try #require($0["acceleration_g"]),
                try #require($0["acceleration_uncertainty_g"]),
            ]
        }
        #expect(accelerations == reported && accelerations.allSatisfy { $0[2] > 0 })
        // The acceleration has been measured; the time constant is still an estimate.
        let actuator = try #require(result["actuator"] as? [String: Any])
        #expect(actuator["estimates"] as? [String] == ["time_constant_ms"], "\(actuator)")
        let explained = try tool("explain", "--profile", "desk", "success")
        #expect(explained.status == 0, "\(explained.errors)")
    }

    /// Returns a board with an actuator with a band that has a resonance.
    private func boardWithBand(
        resonance: Double, quality: Double, acceleration: Double
    ) throws -> HapticBoard {
        var options = InProcessBoard.Options()
        options.configuration = ActuatorConfiguration.wideBand.bytes
        options.sensor = ACCELEROMETER_LSM6DSO
        let device = InProcessBoard(options: options)
        device.sensor.clock_ratio = 0.97
        device.motion.pointee.vibrations.0.resonance_hz = resonance
        device.motion.pointee.vibrations.0.quality = quality
        device.motion.pointee.vibrations.0.actuator.parameters.lra.rated_acceleration_g =
            acceleration
        let board = try HapticBoard(VirtualTransport(device))
        try board.waitUntilSettled()
        return board
    }

    private func response(_ board: HapticBoard) throws -> MeasuredResponse {
        let configuration = ActuatorConfiguration.wideBand
        let band = try #require(configuration.frequencyBand)
        let measurement = FitMeasurement(board, 0, configuration, gain: 1) { _ in }
        let (response, origin) = try measurement.response(nil, in: band)
        #expect(origin.axis == .z)
        return response
    }

    @Test(arguments: [(160.0, 2.0), (65, 0.8), (250, 3)])
    func theMeasuredResponseIsThatOfTheActuator(_ resonance: Double, _ quality: Double) throws {
        let board = try boardWithBand(resonance: resonance, quality: quality, acceleration: 0.8)
        defer { board.close() }
        let response = try response(board)
        #expect(response.points.count == 16 && !response.isMisfit, "\(response.unexplained)")
        for point in response.points {
            let ratio = point.frequency / resonance
            let truth = 0.8 * ratio * ratio / hypot(1 - ratio * ratio, ratio / quality)
            let measured = point.acceleration
            #expect(abs(measured.value - truth) < 0.05 * truth, "\(point), \(truth)")
            #expect(abs(measured.value - truth) < measured.uncertainty, "\(point), \(truth)")
        }
        #expect(abs(response.repetition - 1) < 0.03)
        let weakest = response.points.filter { 100...239 ~= $0.frequency }
            .map(\.acceleration.value).min()!
        #expect(abs(response.acceleration / weakest - 1) < 0.1)
    }

    @Test func aNarrowResonanceBetweenTheMeasuredFrequenciesIsReported() throws {
        let board = try boardWithBand(resonance: 154.6, quality: 12, acceleration: 0.2)
        defer { board.close() }
        let response = try response(board)
        #expect(response.isMisfit && response.unexplained > 0.3, "\(response.unexplained)")
    }

    @Test(arguments: ["erm", "board", "a/b", "", "../x"])
    func namesThatAreNotPossibleAreRefused(_ name: String) throws {
        let outcome = try tool("fit", "--virtual", "--name", name)
        #expect(outcome.status == 64 && outcome.errors.contains("--name must be"), "\(outcome)")
    }

    @Test func anERMIsFittedOnABoard() throws {
        var options = InProcessBoard.Options()
        options.configuration = ActuatorConfiguration.coinERM.bytes
        options.sensor = ACCELEROMETER_LIS2DW12
        let device = InProcessBoard(options: options)
        device.sensor.clock_ratio = 1.03
        var motor = actuator_erm_coin_b1034
        motor.time_constant_s = 0.05
        motor.start_voltage_v = 2.5
        motor.loop_gain = 1.5
        motor.brake_factor = 3
        actuator_model_init_erm(&device.motion.pointee.vibrations.0.actuator, &motor)
        device.motion.pointee.vibrations.0.actuator.closed_loop = true
        let board = try HapticBoard(VirtualTransport(device))
        defer { board.close() }
        try board.waitUntilSettled()
        let measurement = FitMeasurement(board, 0, .coinERM, gain: 1) { _ in }
        let result = try measurement.fit(nil)
        #expect(result.origin.axis == .z && !result.explanation.isMisfit, "\(result.explanation)")
        let fit = result.fit
        #expect(abs(fit.timeConstant.value - 50) < 2.5)
        #expect(abs(try #require(fit.start).value * 3 - 2.5) < 0.125)
        #expect(abs(try #require(fit.running).value * 3 - 0.8) < 0.04)
        #expect(abs(try #require(fit.loopGain).value - 1.5) < 0.075)
        #expect(abs(fit.delay.value) < 1.5)
    }
}
