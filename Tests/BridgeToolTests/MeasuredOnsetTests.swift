// MeasuredOnsetTests: tests that compare the measured onsets and levels of events with the motion
// of the board's model. The tolerance for onsets is 0.5 ms.

import BridgeLink
import CDRV2605Model
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import SerialPorts
import TestSupport
import Testing
import ToolSupport
import VirtualBoard

@Suite(.virtualTime) struct MeasuredOnsetTests {
    /// A tap, a weak tap and a hold.
    private static let pattern = HapticPattern(events: [
        HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: 0.5),
        HapticEvent(.hapticTransient, time: 400_000, intensity: 0.4, sharpness: 1),
        HapticEvent(.hapticContinuous, time: 800_000, duration: 150_000, intensity: 0.8),
    ])

    /// Replaces the LRA of a motion by an ERM.
    private static func attachMotor(to motion: UnsafeMutablePointer<motion_model>) {
        var parameters = actuator_erm_coin_b1034
        actuator_model_init_erm(&motion.pointee.vibrations.0.actuator, &parameters)
        motion.pointee.vibrations.0.actuator.closed_loop = true
    }

    /// The envelope of the motion in steps of 50 us, from the board time `start` on.
    private static func truth(
        _ changes: [DriveChange], from start: BoardTime, isMotor: Bool
    ) -> MotionEnvelope {
        let motion = UnsafeMutablePointer<motion_model>.allocate(capacity: 1)
        defer { motion.deallocate() }
        motion_model_init(motion, ACCELEROMETER_NONE, 0)
        if isMotor { attachMotor(to: motion) }
        var left = changes[...]
        let values = stride(from: start, to: start + 1_500_000, by: 50).map { time in
            while let change = left.first, change.time <= time {
                motion_model_drive(motion, UInt64(change.time), 0, Int16(change.drive))
                left = left.dropFirst()
            }
            var g = [0.0, 0.0, 0.0]
            motion.pointee.sensor.acceleration(UnsafeMutableRawPointer(motion), UInt64(time), &g)
            return actuator_model_acceleration_g(&motion.pointee.vibrations.0.actuator)
        }
        return MotionEnvelope(values, step: 50)
    }

    /// The measured and the true motion of each event, and the other results of a measurement.
    private struct Measured {
        var found: [EventMotion?]
        var expected: [EventMotion?]
        var frequency: Double?
        var distortion: Double?
        var findings: [MotionFinding]
    }

    /// Measures the pattern on a board with an accelerometer whose gain is 0.9.
    private func measure(
        _ sensor: accelerometer_kind, clock: Double, _ configuration: ActuatorConfiguration
    ) throws -> Measured {
        let isMotor = configuration.kind == .erm
        var options = InProcessBoard.Options()
        options.configuration = configuration.bytes
        options.sensor = sensor
        let device = InProcessBoard(options: options)
        (device.sensor.clock_ratio, device.sensor.gain.2) = (clock, 0.9)
        if isMotor { Self.attachMotor(to: device.motion) }
        let board = try HapticBoard(VirtualTransport(device))
        defer { board.close() }
        try board.waitUntilSettled()
        var changes: [DriveChange] = []
        device.onDriveChange = { changes.append($0) }
        let compiled = HapticCompiler.compile(
            Self.pattern, profile: DeviceProfile(of: configuration))
        let recorded = try board.record(.z, playing: compiled)
        let properties = recorded.acceleration.properties
        let signal = try #require(MotionSignal(recorded.samples, range: properties.range))
        let envelope =
            isMotor
            ? MotionEnvelope(ofMotor: signal)
            : MotionEnvelope(of: signal, frequency: 170, sensor: properties)
        let predicted = FeltAcceleration(
            of: compiled.events, tick: compiled.tick, on: configuration, for: 1_500_000)
        let model = MotionEnvelope(Array(predicted.samples), step: 1_000)
        func motions(_ envelope: MotionEnvelope) -> [EventMotion?] {
            EventMotion.all(
                of: Self.pattern, lead: compiled.lead, measured: envelope, predicted: model,
                least: 0.05, noise: signal.noise)
        }
        // The true envelope is not blurred by a window.
        let truth = Self.truth(
            changes, from: device.boardTime(of: recorded.start), isMotor: isMotor)
        return Measured(
            found: motions(envelope), expected: motions(truth), frequency: envelope.frequency,
            distortion: envelope.distortion,
            findings: MotionFinding.all(
                in: signal, envelope, predicted: model, driven: isMotor ? nil : 170,
                recorded: recorded.acceleration))
    }

    /// The clock of the accelerometer deviates by up to 5 %, and its gain by 10 %.
    @Test(arguments: BoardRecordingTests.sensors, [0.95, 1, 1.05])
    func onsetsAreMeasuredWithinHalfAMillisecond(
        _ sensor: (model: accelerometer_kind, link: SensorKind), _ clock: Double
    ) throws {
        let result = try measure(sensor.model, clock: clock, .coinLRA)
        for (index, expected) in result.expected.enumerated() {
            let error = try #require(result.found[index]?.onset) - #require(expected?.onset)
            #expect(abs(error) <= 0.5, "event \(index): \(error) ms")
            let (peak, actual) = try (
                #require(result.found[index]?.pulse).peak / 0.9, #require(expected?.pulse).peak
            )
            #expect(abs(peak / actual - 1) < 0.1, "event \(index): \(peak) g, not \(actual) g")
            print("onset of \(sensor.link), clock \(clock), event \(index): \(error) ms")
        }
        #expect(try abs(#require(result.frequency) - 170) < 2)
        #expect(result.findings.isEmpty, "\(result.findings)")
        #expect(try #require(result.distortion) < 0.2)
    }

    /// The frequency of a motor changes with its speed, so its amplitude is known less exactly: the
    /// tolerance is 1 ms.
    @Test(arguments: BoardRecordingTests.sensors)
    func onsetsOfAMotorAreMeasured(
        _ sensor: (model: accelerometer_kind, link: SensorKind)
    ) throws {
        let result = try measure(sensor.model, clock: 1, .coinERM)
        for (index, expected) in result.expected.enumerated() {
            guard let onset = expected?.onset else { continue }
            let error = try #require(result.found[index]?.onset) - onset
            #expect(abs(error) <= 1, "event \(index): \(error) ms")
            print("onset of a motor by \(sensor.link), event \(index): \(error) ms")
        }
        #expect(result.expected.contains { $0?.onset != nil })
        #expect(result.findings.isEmpty, "\(result.findings)")
    }
}
