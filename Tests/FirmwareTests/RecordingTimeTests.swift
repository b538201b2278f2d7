// RecordingTimeTests: the times of the samples in a recording, compared with the motion of the
// board's model.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import Testing
import VirtualBoard

@Suite("Times of recordings")
struct RecordingTimeTests {
    private static let kinds: [(accelerometer_kind, SensorKind)] = [
        (ACCELEROMETER_LIS3DH, .lis3dh), (ACCELEROMETER_LIS2DW12, .lis2dw12),
        (ACCELEROMETER_LSM6DSO, .lsm6dso),
    ]

    /// The acceleration along z, in steps of 50 us, that the board's model calculates from the
    /// changes of the drive.
    private static func truth(_ changes: [DriveChange], to end: BoardTime) -> [Double] {
        let motion = UnsafeMutablePointer<motion_model>.allocate(capacity: 1)
        defer { motion.deallocate() }
        motion_model_init(motion, ACCELEROMETER_NONE, 0)
        var left = changes[...]
        return stride(from: 0, to: end, by: 50).map { time in
            while let change = left.first, change.time <= time {
                motion_model_drive(motion, UInt64(change.time), 0, Int16(change.drive))
                left = left.dropFirst()
            }
            var g = [0.0, 0.0, 0.0]
            motion.pointee.sensor.acceleration(UnsafeMutableRawPointer(motion), UInt64(time), &g)
            return g[2]
        }
    }

    /// Returns the shift, in microseconds, that minimizes the difference between a recording and
    /// the true motion.
    private static func shift(_ recording: SensorRecording, _ truth: [Double], origin: BoardTime)
        -> Int
    {
        func error(_ shift: Int) -> Double {
            var sum = 0.0
            for index in recording.values.indices {
                guard let time = recording.time(ofSample: index) else { return .infinity }
                let step = (Int(origin) + Int(time) - shift) / 50
                guard truth.indices.contains(step) else { continue }
                let difference = recording.acceleration(ofSample: index) - truth[step]
                sum += difference * difference
            }
            return sum
        }
        return stride(from: -2_500, through: 2_500, by: 50).min { error($0) < error($1) }!
    }

    /// Checks deviations of up to 5 % in the accelerometer's clock, and of 10 % in its gain.
    @Test(arguments: kinds, [0.95, 1, 1.05])
    func anOnsetIsMeasuredWithinHalfAMillisecond(
        _ kind: (model: accelerometer_kind, link: SensorKind), _ clock: Double
    ) throws {
        let bench = Bench(.sensing(kind.model))
        bench.board.sensor.clock_ratio = clock
        bench.board.sensor.gain.2 = 0.9
        bench.run(for: 100_000)
        bench.connect()
        #expect(bench.command(0x4E, [2, 0, 0x20, 0x03]) == nil)
        bench.load([0x90, 0xFF, 0x80, 0xB1, 0xC8, 0x03, 0xFF, 0xB1, 0xC8, 0x03, 0, 0xF1, 0x64, 0])
        bench.start(at: bench.now + 100_000)
        bench.run(limit: 3_000_000) { bench.sensorStates.last?.recording == .complete }
        bench.run(for: 50_000)
        var recording = SensorRecording(of: try #require(SensorProperties(of: kind.link)))
        for samples in bench.samples { recording.append(samples) }
        #expect(recording.values.count == 1_600 && recording.gaps == 0)
        let period = try #require(recording.clock).period
        let expected = 1e6 / recording.properties.rate / clock
        #expect(abs(period / expected - 1) < 0.001, "period \(period)")
        let changes = bench.board.driveChanges
        #expect(changes.count > 2)
        let shift = Self.shift(
            recording, Self.truth(changes, to: bench.now),
            origin: bench.board.boardTime(of: recording.origin))
        #expect(abs(shift) <= 500, "\(shift) us")
        print("recorded onset of \(kind.link), clock \(clock): \(shift) us")
    }

    @Test func aGapDiscardsEarlierPairs() throws {
        var recording = SensorRecording(of: try #require(SensorProperties(of: .lis2dw12)))
        func message(_ gaps: UInt8, _ number: Int, _ reached: Int, _ time: Int) -> Samples {
            Samples(
                gaps: gaps, number: UInt16(truncatingIfNeeded: number), time: UInt32(time),
                reached: UInt16(truncatingIfNeeded: reached), values: Array(repeating: 1, count: 12)
            )
        }
        for index in 0..<8 {
            recording.append(message(0, index * 12, index * 12 + 16, index * 7_500))
        }
        let before = try #require(recording.clock)
        #expect(abs(before.period - 625) < 1e-6 && abs(before.start + 15.5 * 625) < 1e-6)
        recording.append(message(1, 96, 112, 200_000))
        #expect(recording.clock == nil && recording.gaps == 1)
        recording.append(message(1, 108, 124, 207_200))
        #expect(try abs(#require(recording.clock).period - 600) < 1e-6)
    }

    @Test func theSamplesOfALostMessageAreCountedAndTheOthersKeepTheirTimes() throws {
        var recording = SensorRecording(of: try #require(SensorProperties(of: .lis2dw12)))
        for index in 0..<8 where index != 3 {
            recording.append(
                Samples(
                    gaps: 0, number: UInt16(index * 12), time: UInt32(index * 7_500),
                    reached: UInt16(index * 12 + 16), values: Array(repeating: 1, count: 12)))
        }
        #expect(recording.lost == 12 && recording.next == 96 && recording.values.count == 84)
        let (before, after) = try (
            #require(recording.time(ofSample: 35)), #require(recording.time(ofSample: 36))
        )
        #expect(abs(after - before - 13 * 625) < 1e-6)
        let result = try #require(
            RecordedAcceleration(recording, of: .lis2dw12, .z, end: .complete, expected: 108))
        #expect(result.lost == 24 && result.gaps == 0 && result.untimed == 0)
        #expect(abs(result.rate - 1_600) < 1e-6 && result.rateError > 0)
    }
}
