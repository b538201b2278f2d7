// Tests of `bridge fit` with actuators with a band, on virtual boards that have an accelerometer.

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

@Suite(.virtualTool) struct BandFitTests: FitSuite {
    let folder = Folder()

    /// Returns a board that is configured for an actuator with a band.
    private func liveBoard() throws -> LiveBoard {
        let board = try LiveBoard("--sensor", "lis3dh")
        let set = try tool(
            "actuator", "set", "--kind", "wide-band", "--band", "80-300", "--rated", "2",
            "--overdrive", "3", "--port", board.port)
        #expect(set.status == 0, "\(set.errors)")
        return board
    }

    @Test func theResponseOfAnActuatorWithABandIsStoredAndRendered() throws {
        let board = try liveBoard()
        let outcome = try tool("fit", "--port", board.port, "--name", "desk", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let result = try #require(outcome.objects.first)
        let fit = try #require(result["fit"] as? [String: Any])
        let response = try #require(fit["response"] as? [[String: Double]])
        #expect(response.count == 16)
        // The virtual board moves equally strongly at each frequency, with 1.5 g.
        for point in response { #expect(abs((point["acceleration_g"] ?? 0) - 1.5) < 0.15) }
        let text = try Data(contentsOf: URL(filePath: profile("desk")))
        let profile = try DeviceProfile(json: [UInt8](text))
        #expect(profile.kind == .wideBand && profile.band?.response.count == 16)
        #expect(profile.band?.law == .logarithmic)
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

    /// The chip drives one frequency of the pattern that tests the response 11 Hz too high.
    @Test func aResponseThatAnotherPatternContradictsIsNotStored() throws {
        let board = try liveBoard()
        let fit = try drivingFit(on: board)
        let full = board.level
        #expect(wait { board.level > 0 && board.level < full })
        #expect(wait { board.level == 0 })
        board.chip(.damage(bits: 0x0C))
        let outcome = fit.outcome()
        #expect(outcome.status == 82, "\(outcome)")
        #expect(outcome.errors.contains("from the response; nothing was stored"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: profile("desk")))
        let shown = try shown(board)
        #expect(shown.contains("acceleration 1.00 g (estimate)"), "\(shown)")
    }

    /// Returns a board with an actuator with a band that has a resonance.
    private func boardWithBand(
        resonance: Double, quality: Double, acceleration: Double,
        onDriveChange: ((InProcessBoard, DriveChange) -> Void)? = nil
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
        if let onDriveChange { device.onDriveChange = { onDriveChange(device, $0) } }
        try board.waitUntilSettled()
        return board
    }

    private func response(_ board: HapticBoard) throws -> MeasuredResponse {
        let configuration = ActuatorConfiguration.wideBand
        let band = try #require(configuration.frequencyBand)
        let (response, origin) = try measurement(board, configuration).response(nil, in: band)
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
        #expect(!response.remarks(profile: "desk").contains { $0.contains("repeated drive") })
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

    @Test func aLowestFrequencyThatGrowsWeakerIsReported() throws {
        var holds = 0
        let board = try boardWithBand(resonance: 160, quality: 2, acceleration: 0.8) {
            guard $1.drive > 0 else { return }
            holds += 1
            // The drives that find the axis, and 16 frequencies, precede the repeated frequency.
            let acceleration = holds == 3 + 16 + 1 ? 0.72 : 0.8
            $0.motion.pointee.vibrations.0.actuator.parameters.lra.rated_acceleration_g =
                acceleration
        }
        defer { board.close() }
        let remarks = try response(board).remarks(profile: "desk")
        let change = try #require(remarks.last)
        #expect(
            change.contains("the lowest frequency is") && change.hasSuffix("% weaker"), "\(change)")
    }
}
