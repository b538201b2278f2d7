// HiddenSensor: an accelerometer with a random clock, gain and offset, which a hidden plant moves.

import BridgeLink
import CDRV2605Model
import VirtualBoard

/// An accelerometer whose clock, gain and offset are random, and which a hidden plant moves.
public final class HiddenSensor {
    /// The model of the accelerometer.
    private let model: UnsafeMutablePointer<accelerometer_model>
    private let plant: HiddenPlant
    /// The gain of the sensor as a calibration with gravity determines it.
    public let gain: Double
    /// The acceleration due to gravity, in g.
    private var gravity = 1.0
    private var generator: SeededGenerator

    /// Creates a sensor of a random kind.
    public init(movedBy plant: HiddenPlant, from generator: inout SeededGenerator) {
        let kinds: [(model: accelerometer_kind, link: SensorKind)] = [
            (ACCELEROMETER_LIS3DH, .lis3dh), (ACCELEROMETER_LIS2DW12, .lis2dw12),
            (ACCELEROMETER_LSM6DSO, .lsm6dso),
        ]
        self.plant = plant
        gain = Double.random(in: 0.9...1.1, using: &generator)
        model = .allocate(capacity: 1)
        let kind = kinds.randomElement(using: &generator)!
        properties = SensorProperties(of: kind.link)!
        accelerometer_model_init(model, kind.model, 0)
        model.pointee.clock_ratio = Double.random(in: 0.95...1.05, using: &generator)
        model.pointee.gain.2 = gain
        model.pointee.offset_g.2 = Double.random(in: -0.1...0.1, using: &generator)
        model.pointee.seed = generator.next() | 1
        self.generator = generator
    }

    deinit { model.deallocate() }

    /// The properties of the sensor.
    public let properties: SensorProperties

    /// Records the acceleration along z, beginning before the drive and ending after the drive.
    ///
    /// The times have the errors of a host: the sensor's clock is known within 20 parts per
    /// million, and its phase within 50 µs.
    ///
    /// - Returns: the times in the stream, in microseconds, and the values in g.
    public func record(_ drive: [DriveChange]) -> [RecordedAcceleration.Sample] {
        model.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        model.pointee.acceleration = { owner, time, values in
            let sensor = Unmanaged<HiddenSensor>.fromOpaque(owner!).takeUnretainedValue()
            values![2] = sensor.gravity + sensor.plant.acceleration(at: time)
        }
        plant.rest()
        begin()
        let end = UInt64((drive.last?.time ?? 0) + 200_000)
        var rest = drive[...]
        var values: [Double] = []
        let step = accelerometer_model_step_g(model)
        for time in stride(from: 0, to: end, by: 100) {
            while let change = rest.first, UInt64(change.time) + plant.delay <= time {
                let exact = UInt64(change.time) + plant.delay
                accelerometer_model_advance(model, exact)
                plant.change(drive: change.drive, at: exact)
                rest.removeFirst()
            }
            accelerometer_model_advance(model, time)
            while let value = next() { values.append(Double(value) * step) }
        }
        let rate = accelerometer_model_rate_hz(model) * model.pointee.clock_ratio
        let period = 1e6 / rate * (1 + 2e-5 * gauss())
        let start = period + 50 * gauss() - properties.delay
        return values.enumerated().map {
            RecordedAcceleration.Sample(
                time: start + Double($0.offset) * period, acceleration: $0.element)
        }
    }

    /// Determines the gain from the acceleration due to gravity in two orientations.
    public func calibratedGain() -> Double {
        func mean(_ gravity: Double) -> Double {
            self.gravity = gravity
            defer { self.gravity = 1 }
            let samples = record([DriveChange(time: 100_000, actuator: 0, drive: 0)])
            return samples.reduce(0) { $0 + $1.acceleration } / Double(samples.count)
        }
        return (mean(1) - mean(-1)) / 2
    }

    /// Returns a number with an approximately normal distribution: the sum of twelve uniformly
    /// distributed numbers, minus 6.
    private func gauss() -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &generator) }
    }

    /// Switches the sensor on at time 0.
    private func begin() {
        var writes: [(UInt8, UInt8)] = [(0x10, 0x8C), (0x12, 0x44), (0x09, 0x08), (0x0A, 0x06)]
        if model.pointee.kind == ACCELEROMETER_LIS3DH {
            writes = [(0x20, 0x97), (0x23, 0x20), (0x24, 0x40), (0x2E, 0x80)]
        } else if model.pointee.kind == ACCELEROMETER_LIS2DW12 {
            writes = [(0x20, 0x94), (0x25, 0x34), (0x2E, 0xC0)]
        }
        (model.pointee.now_us, model.pointee.count) = (0, 0)
        for (register, value) in writes {
            _ = accelerometer_model_start(model, 0, model.pointee.address << 1)
            _ = accelerometer_model_write_byte(model, 0, register)
            _ = accelerometer_model_write_byte(model, 0, value)
            accelerometer_model_stop(model, 0)
        }
    }

    /// Removes the oldest value of z from the FIFO; nil if the FIFO is empty.
    private func next() -> Int16? {
        let depth: UInt32 = model.pointee.kind == ACCELEROMETER_LSM6DSO ? 512 : 32
        guard model.pointee.count > 0 else { return nil }
        let head = Int(model.pointee.head)
        let value = withUnsafePointer(to: &model.pointee.fifo) {
            $0.withMemoryRebound(to: Int16.self, capacity: 1_536) { $0[3 * head + 2] }
        }
        model.pointee.head = (model.pointee.head + 1) % depth
        model.pointee.count -= 1
        return value
    }
}
