// Tests of the comparison of a measured pattern with its prediction, on boards with known motions.

import AHAP
import BridgeLink
import CDRV2605Model
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import TestSupport
import Testing
import ToolSupport
import VirtualBoard

@Suite(.virtualTime) struct MeasuredPatternTests {
    /// A tap and a hold that are felt separately, at the highest frequency of a band.
    private static let events = [
        HapticEvent(.hapticTransient, time: 100_000, intensity: 1, sharpness: 1),
        HapticEvent(
            .hapticContinuous, time: 500_000, duration: 200_000, intensity: 0.7, sharpness: 1),
    ]
    private static let band = ActuatorConfiguration(
        band: 80...400, rated: 2_000, overdrive: 3_000,
        plant: ActuatorPlant(timeConstant: 5, acceleration: 1.5))

    /// Measures the pattern on a board. An actuator with a band has the time constant of its
    /// configuration.
    ///
    /// - Parameter onDriveChange: a closure that is called after each change of the drive.
    private func measured(
        on configuration: ActuatorConfiguration, with sensor: accelerometer_kind,
        port: InProcessBoard.Port = .attentive,
        onDriveChange: ((InProcessBoard, DriveChange) -> Void)? = nil
    ) throws -> MeasuredPattern {
        var options = InProcessBoard.Options()
        options.configuration = configuration.bytes
        (options.sensor, options.port) = (sensor, port)
        let device = InProcessBoard(options: options)
        if configuration.kind == .wideBand {
            device.motion.pointee.vibrations.0.actuator.parameters.lra.quality = .pi * 170 * 0.005
        }
        let board = try HapticBoard(VirtualTransport(device))
        defer { board.close() }
        if let onDriveChange { device.onDriveChange = { onDriveChange(device, $0) } }
        try board.waitUntilSettled()
        let document = try AHAPDocument(of: HapticPattern(events: Self.events))
        let profile = DeviceProfile(of: configuration)
        let file = PatternFile(
            name: "", try AHAPReader.read(document), profile, CompilerOptions())
        let recorder = MotionRecorder(
            board: board, actuator: 0, axis: .z, configuration: configuration)
        let recording = try recorder.record(file) { true }
        let prediction = FeltAcceleration(
            of: file.events, tick: file.tick, on: configuration, band: profile.band,
            for: file.renderedDuration + FeltFidelity.tail)
        return MeasuredPattern(
            file: file, on: configuration, prediction: prediction,
            motion: try recorder.motion(of: recording, playing: file), recording: recording,
            place: "", options: CompilerOptions())
    }

    /// The accelerometer attenuates the vibration by a factor of 0.7, and the window of the
    /// measurement is longer than the tap.
    @Test func anActuatorWithABandIsMeasuredAsPredicted() throws {
        let result = try measured(on: Self.band, with: ACCELEROMETER_LIS2DW12)
        #expect(result.warnings.isEmpty, "\(result.warnings)")
        for index in Self.events.indices {
            let differences = try #require(result.differences(index))
            #expect(differences.prediction < 0.3, "event \(index): \(differences)")
        }
    }

    /// An actuator that is no longer driven still vibrates at the frequency of the drive.
    @Test func theBandwidthIsCorrectedUntilTheActuatorRests() throws {
        let result = try measured(on: Self.band, with: ACCELEROMETER_LIS2DW12)
        let highest = try #require(Self.band.frequencyBand).range.upperBound
        let gain = try #require(SensorProperties(of: .lis2dw12)).gain(at: highest)
        let motor = MotionEnvelope(ofMotor: result.motion.signal)
        let end = Double(result.file.lead) + 700_000
        for time in [end - 50_000, end + 3_000] {
            let ratio = result.motion.envelope.value(at: time) / motor.value(at: time)
            #expect(abs(ratio - 1 / gain) < 0.01, "\(time): \(ratio)")
        }
    }

    @Test func aFaultAndALateEventAreWarnings() throws {
        let faulty = try measured(on: .coinLRA, with: ACCELEROMETER_LSM6DSO) {
            if $1.drive == 0 { drv2605_model_inject_damage($0.chip, 1) }
        }
        #expect(
            faulty.warnings.contains("the board reports faults: bus error"), "\(faulty.warnings)")
        let slow = InProcessBoard.Port(interval: 20_000, isAttentive: false)
        let late = try measured(on: .coinLRA, with: ACCELEROMETER_LSM6DSO, port: slow)
        #expect(
            late.warnings.contains("the board did not play all events on time"),
            "\(late.warnings)")
    }
}
