// MeasuredOnsetTests: the measured onsets and levels of events against the motion that the model of
// the board has made (bar: 0.5 ms).

import BridgeLink
import CDRV2605Model
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import MotionAnalysis
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

    /// The envelope of the motion in steps of 50 us, from the board time `start` on.
    private static func truth(_ changes: [DriveChange], from start: BoardTime) -> MotionEnvelope {
        let motion = UnsafeMutablePointer<motion_model>.allocate(capacity: 1)
        defer { motion.deallocate() }
        motion_model_init(motion, ACCELEROMETER_NONE, 0)
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

    /// The clock of the accelerometer deviates by up to 5 %, and its gain by 10 %.
    @Test(arguments: BoardRecordingTests.sensors, [0.95, 1, 1.05])
    func onsetsAreMeasuredWithinHalfAMillisecond(
        _ sensor: (model: accelerometer_kind, link: SensorKind), _ clock: Double
    ) throws {
        var options = InProcessBoard.Options()
        options.configuration = ActuatorConfiguration.coinLRA.bytes
        options.sensor = sensor.model
        let device = InProcessBoard(options: options)
        (device.sensor.clock_ratio, device.sensor.gain.2) = (clock, 0.9)
        let board = try HapticBoard(VirtualTransport(device))
        defer { board.close() }
        try board.waitUntilSettled()
        var changes: [DriveChange] = []
        device.onDriveChange = { changes.append($0) }
        let compiled = HapticCompiler.compile(
            Self.pattern, profile: DeviceProfile(of: ActuatorConfiguration.coinLRA))
        let recorded = try board.record(.z, playing: compiled)
        let signal = try #require(
            MotionSignal(recorded.samples, range: recorded.acceleration.properties.range))
        let measured = MotionEnvelope(
            of: signal, frequency: 170, bandwidth: recorded.acceleration.properties.bandwidth)
        let predicted = FeltAcceleration(
            of: compiled.events, tick: compiled.tick, on: .coinLRA, for: 1_500_000)
        let truth = Self.truth(changes, from: device.boardTime(of: recorded.start))
        let model = MotionEnvelope(Array(predicted.samples), step: 1_000)
        func motions(_ envelope: MotionEnvelope) -> [EventMotion?] {
            EventMotion.all(
                of: Self.pattern, lead: compiled.lead, measured: envelope, predicted: model,
                least: 0.05, noise: signal.noise)
        }
        let found = motions(measured)
        for (index, expected) in motions(truth).enumerated() {
            // The true envelope is not blurred by a window.
            let onset = try #require(expected?.onset)
            let error = try #require(found[index]?.onset) - onset
            #expect(abs(error) <= 0.5, "event \(index): \(error) ms")
            let (peak, actual) = try (
                #require(found[index]?.pulse).peak / 0.9, #require(expected?.pulse).peak
            )
            #expect(abs(peak / actual - 1) < 0.1, "event \(index): \(peak) g, not \(actual) g")
            print("onset of \(sensor.link), clock \(clock), event \(index): \(error) ms")
        }
        #expect(try abs(#require(measured.frequency) - 170) < 2)
        let findings = MotionFinding.all(
            in: signal, measured, predicted: model, driven: 170, recorded: recorded.acceleration)
        #expect(findings.isEmpty, "\(findings)")
    }
}
