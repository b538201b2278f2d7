import CDRV2605Model
import Foundation
import Testing

/// An accelerometer on a bus. The test sets the drive of the actuator, and advances the time.
private final class SensedBoard {
    let motion = UnsafeMutablePointer<motion_model>.allocate(capacity: 1)
    var now: UInt64 = 0
    let kind: accelerometer_kind

    init(_ kind: accelerometer_kind, isQuiet: Bool = true) {
        self.kind = kind
        motion_model_init(motion, kind, 0)
        if isQuiet { motion.pointee.sensor.noise_g = 0 }
    }

    deinit {
        #expect(motion.pointee.sensor.undefined_accesses == 0)
        motion.deallocate()
    }

    private var address: UInt8 { kind == ACCELEROMETER_LSM6DSO ? 0xD4 : 0x30 }

    @discardableResult
    func write(_ register: UInt8, _ value: UInt8) -> Bool {
        let bytes = [register, value]
        guard accelerometer_model_start(&motion.pointee.sensor, now, address) else { return false }
        return bytes.allSatisfy { accelerometer_model_write_byte(&motion.pointee.sensor, now, $0) }
    }

    func read(_ register: UInt8, count: Int = 1) -> [UInt8]? {
        guard accelerometer_model_start(&motion.pointee.sensor, now, address),
            accelerometer_model_write_byte(&motion.pointee.sensor, now, register),
            accelerometer_model_start(&motion.pointee.sensor, now, address | 1)
        else { return nil }
        return (0..<count).map { _ in accelerometer_model_read_byte(&motion.pointee.sensor, now) }
    }

    /// Starts the FIFO at the highest rate, with the register values in the data sheet.
    func startFIFO() {
        let writes: [(UInt8, UInt8)] =
            switch kind {
            case ACCELEROMETER_LIS3DH: [(0x23, 0x20), (0x24, 0x40), (0x2E, 0x80), (0x20, 0x97)]
            case ACCELEROMETER_LIS2DW12: [(0x25, 0x34), (0x2E, 0xC0), (0x20, 0x94)]
            default: [(0x12, 0x44), (0x09, 0x08), (0x0A, 0x06), (0x10, 0x8C)]
            }
        for (register, value) in writes { write(register, value) }
    }

    /// The number of samples in the FIFO, and whether it has overrun.
    var level: (count: Int, hasOverrun: Bool) {
        guard kind == ACCELEROMETER_LSM6DSO else {
            let status = Int(read(0x2F)![0])
            return (status & (kind == ACCELEROMETER_LIS3DH ? 0x1F : 0x3F), status & 0x40 != 0)
        }
        let status = read(0x3A, count: 2)!.map { Int($0) }
        return ((status[1] & 3) << 8 | status[0], status[1] & 0x40 != 0)
    }

    /// Reads samples from the FIFO. Each sample consists of three axes, in g.
    func samples(_ count: Int) -> [[Double]] {
        let hasTag = kind == ACCELEROMETER_LSM6DSO
        let register: UInt8 = hasTag ? 0x78 : kind == ACCELEROMETER_LIS3DH ? 0xA8 : 0x28
        let bytes = read(register, count: count * (hasTag ? 7 : 6))!
        return (0..<count).map { index in
            let first = index * (hasTag ? 7 : 6) + (hasTag ? 1 : 0)
            return (0..<3).map { axis in
                let low = UInt16(bytes[first + 2 * axis])
                let value = Int16(bitPattern: low | UInt16(bytes[first + 2 * axis + 1]) << 8)
                return Double(value) * accelerometer_model_step_g(&motion.pointee.sensor)
            }
        }
    }

    /// Advances the time, and reads all samples every 4 ms.
    func record(for time: UInt64) -> [[Double]] {
        var all: [[Double]] = []
        let end = now + time
        while now < end {
            now = min(end, now + 4_000)
            all += samples(level.count)
        }
        return all
    }

    func drive(_ value: Int16) { motion_model_drive(motion, now, 0, value) }
}

@Suite("Model: accelerometer")
struct AccelerometerTests {
    static let kinds = [ACCELEROMETER_LIS3DH, ACCELEROMETER_LIS2DW12, ACCELEROMETER_LSM6DSO]

    /// Returns the WHO_AM_I and the nominal rate, in hertz, from the data sheet, and the depth of
    /// the FIFO, in samples.
    static func facts(_ kind: accelerometer_kind) -> (id: UInt8, rate: Double, depth: Int) {
        switch kind {
        case ACCELEROMETER_LIS3DH: (0x33, 1_344, 31)
        case ACCELEROMETER_LIS2DW12: (0x44, 1_600, 32)
        default: (0x6C, 1_666, 512)
        }
    }

    /// The mode that Linux's driver selects.
    @Test func theFirstLowPowerModeOfTheLIS2DW12Has12Bits() throws {
        let board = SensedBoard(ACCELEROMETER_LIS2DW12)
        board.write(0x20, 0x50)
        #expect(accelerometer_model_rate_hz(&board.motion.pointee.sensor) == 100)
        board.now = 100_000
        let z = try #require(board.read(0x2C, count: 2)).map { UInt16($0) }
        #expect(z[1] << 8 | z[0] == 1_025 << 4)  // 1 g in steps of 0.976 mg
    }

    @Test func anotherPageOfTheLSM6DSOHidesItsRegisters() {
        let board = SensedBoard(ACCELEROMETER_LSM6DSO)
        board.write(0x01, 0x40)
        board.write(0x10, 0x8C)
        #expect(board.read(0x0F) == [0])
        board.write(0x01, 0)
        #expect(board.read(0x0F) == [0x6C] && board.read(0x10) == [0])
    }

    @Test(arguments: kinds)
    func aChipIdentifiesItselfAndAcknowledgesOnlyItsAddress(_ kind: accelerometer_kind) {
        let board = SensedBoard(kind)
        #expect(board.read(0x0F) == [Self.facts(kind).id])
        #expect(!accelerometer_model_start(&board.motion.pointee.sensor, 0, 0xB4))
        accelerometer_model_power(&board.motion.pointee.sensor, 0, false)
        #expect(board.read(0x0F) == nil)
    }

    @Test func withoutAChipNothingIsAcknowledged() {
        let board = SensedBoard(ACCELEROMETER_NONE)
        for address in UInt8(0)..<128 {
            #expect(!accelerometer_model_start(&board.motion.pointee.sensor, 0, address << 1))
        }
    }

    @Test(arguments: kinds, [0.95, 1, 1.05])
    func samplesFollowTheChipsOwnClock(_ kind: accelerometer_kind, _ clock: Double) {
        let board = SensedBoard(kind)
        board.motion.pointee.sensor.clock_ratio = clock
        board.startFIFO()
        let count = board.record(for: 1_000_000).count
        #expect(abs(Double(count) - Self.facts(kind).rate * clock) <= 1)
        #expect(board.motion.pointee.sensor.lost == 0)
    }

    @Test(arguments: kinds)
    func aFullFIFOLosesItsOldestSamplesAndReportsAnOverrun(_ kind: accelerometer_kind) {
        let board = SensedBoard(kind)
        board.startFIFO()
        #expect(board.level == (0, false))
        board.now = 400_000
        #expect(board.level.count == Self.facts(kind).depth)
        #expect(board.level.hasOverrun)
        let sensor = board.motion.pointee.sensor
        let depth: UInt64 = kind == ACCELEROMETER_LSM6DSO ? 512 : 32
        #expect(sensor.lost == sensor.samples - depth)
        _ = board.samples(1)
        #expect(!board.level.hasOverrun)
    }

    @Test(arguments: kinds)
    func gravityHasGainOffsetAndSteps(_ kind: accelerometer_kind) {
        let board = SensedBoard(kind)
        board.motion.pointee.gravity_g = (0.6, 0, -0.8)
        board.motion.pointee.sensor.gain = (1.1, 1, 0.9)
        board.motion.pointee.sensor.offset_g = (0, 0.04, 0)
        board.startFIFO()
        let sample = board.record(for: 50_000).last!
        let bits = kind == ACCELEROMETER_LIS3DH ? 10 : kind == ACCELEROMETER_LIS2DW12 ? 14 : 16
        let step = accelerometer_model_step_g(&board.motion.pointee.sensor)
        let resolution = step * Double(1 << (16 - bits))
        for (value, expected) in zip(sample, [0.66, 0.04, -0.72]) {
            #expect(abs(value - expected) <= resolution / 2 + 1e-9)
        }
    }

    @Test(arguments: kinds)
    func accelerationBeyondTheRangeIsClipped(_ kind: accelerometer_kind) {
        let board = SensedBoard(kind)
        board.motion.pointee.gravity_g = (30, -30, 0)
        board.startFIFO()
        let sample = board.record(for: 50_000).last!
        let range = kind == ACCELEROMETER_LIS2DW12 ? 16.0 : 8.0
        #expect(abs(sample[0] - range) < range * 0.03 && abs(sample[1] + range) < range * 0.03)
    }

    @Test(arguments: kinds)
    func noiseHasTheStandardDeviationOfTheSettings(_ kind: accelerometer_kind) {
        let board = SensedBoard(kind, isQuiet: false)
        board.startFIFO()
        board.motion.pointee.sensor.noise_g = 0.05
        let values = board.record(for: 1_000_000).map { $0[1] }
        let mean = values.reduce(0, +) / Double(values.count)
        let variance = values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count)
        #expect(abs(mean) < 0.005 && abs(variance.squareRoot() - 0.05) < 0.005)
    }

    @Test(arguments: kinds)
    func anActuatorIsSensedAtItsFrequencyAndInItsDirection(_ kind: accelerometer_kind) {
        let board = SensedBoard(kind)
        board.motion.pointee.gravity_g = (0, 0, 0)
        board.motion.pointee.vibrations.0.direction = (0.6, 0.8, 0)
        board.startFIFO()
        board.drive(255)
        let samples = board.record(for: 500_000).dropFirst(100)
        // The filter, a second-order low-pass at 400 Hz, attenuates 170 Hz by at most 2 %.
        let peak = samples.map { $0[1] }.max()!
        #expect(peak > 1.5 * 0.8 * 0.95 && peak < 1.5 * 0.8 * 1.02)
        #expect(samples.allSatisfy { abs($0[2]) < 0.02 && abs($0[0] - $0[1] * 0.75) < 0.03 })
        let signs = samples.map { $0[1] > 0 }
        let rises = zip(signs, signs.dropFirst()).count { !$0 && $1 }
        let seconds = Double(samples.count) / Self.facts(kind).rate
        #expect(abs(Double(rises) / seconds - 170) < 4)
    }

    /// Checks that the delay of a slow change is the group delay of a second-order low-pass filter.
    @Test(arguments: zip(kinds, [672.0, 400, 833]))
    func theChainDelaysByItsGroupDelay(_ kind: accelerometer_kind, _ bandwidth: Double) {
        let board = SensedBoard(kind)
        board.startFIFO()
        #expect(accelerometer_model_bandwidth_hz(&board.motion.pointee.sensor) == bandwidth)
        board.motion.pointee.gravity_g = (0, 0, 0)
        _ = board.record(for: 50_000)
        // A ramp of 40 g/s. The distance to the ramp, divided by its slope, is the delay.
        var late: [Double] = []
        for step in 1...100 {
            board.motion.pointee.gravity_g = (Double(step) * 0.04, 0, 0)
            board.now += 1_000
            let level = board.level.count
            guard level > 0, let sample = board.samples(level).last, step > 20 else { continue }
            late.append((Double(step) * 0.04 - sample[0]) / 40 * 1e6)
        }
        let mean = late.reduce(0, +) / Double(late.count)
        // The tolerance covers the age of a sample, which is half a sampling period on average, and
        // the 1 ms steps of the ramp.
        let expected = 1e6 / (2.0.squareRoot() * .pi * bandwidth)
        #expect(abs(mean - expected) < 700)
    }

    @Test func theFIFOOfTheLSM6DSOTagsItsSamples() {
        let board = SensedBoard(ACCELEROMETER_LSM6DSO)
        board.startFIFO()
        board.now = 10_000
        let tags = board.read(0x78, count: 21)!
        // TAG_SENSOR 2, a counter of two bits, and a parity bit that makes the number of ones even.
        #expect([tags[0], tags[7], tags[14]] == [0x11, 0x12, 0x14])
    }

    @Test func aRegisterThatTheChipDoesNotHaveIsCounted() {
        let board = SensedBoard(ACCELEROMETER_LIS2DW12)
        board.write(0x10, 0)
        #expect(board.motion.pointee.sensor.undefined_accesses == 1)
        #expect(board.motion.pointee.sensor.last_undefined_register == 0x10)
        board.motion.pointee.sensor.undefined_accesses = 0
    }
}
