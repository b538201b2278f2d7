// The messages about the accelerometer: RECORD, SAMPLES and SENSOR_STATE (SPEC 4.4, 4.5, 11).

import CBridgeProtocol

/// The kind of an accelerometer (SPEC 11.1).
public struct SensorKind: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No accelerometer was found.
    public static let none = SensorKind(BRIDGE_SENSOR_NONE)
    /// An LIS3DH.
    public static let lis3dh = SensorKind(BRIDGE_SENSOR_LIS3DH)
    /// An LIS2DW12.
    public static let lis2dw12 = SensorKind(BRIDGE_SENSOR_LIS2DW12)
    /// An LSM6DSO or an LSM6DSOX.
    public static let lsm6dso = SensorKind(BRIDGE_SENSOR_LSM6DSO)

    /// The names of the kinds that this version defines.
    public static let names: [SensorKind: String] = [
        .none: "none", .lis3dh: "LIS3DH", .lis2dw12: "LIS2DW12", .lsm6dso: "LSM6DSO",
    ]
}

/// The state of a recording from an accelerometer (SPEC 11.2).
public struct RecordingState: WireCode {
    /// The code as it is transmitted, even if this version does not define the code.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device has recorded nothing since it booted.
    public static let none = RecordingState(BRIDGE_RECORDING_NONE)
    /// The recording waits for a stream to play.
    public static let armed = RecordingState(BRIDGE_RECORDING_ARMED)
    /// The recording takes samples.
    public static let running = RecordingState(BRIDGE_RECORDING_RUNNING)
    /// The recording has taken all samples.
    public static let complete = RecordingState(BRIDGE_RECORDING_COMPLETE)
    /// The host or a new session has ended the recording.
    public static let ended = RecordingState(BRIDGE_RECORDING_ENDED)
    /// The recording has ended because the accelerometer no longer answered.
    public static let lost = RecordingState(BRIDGE_RECORDING_LOST)

    /// The names of the states that this version defines.
    public static let names: [RecordingState: String] = [
        .none: "none", .armed: "armed", .running: "running", .complete: "complete",
        .ended: "ended", .lost: "lost",
    ]

    /// True if the recording takes no more samples.
    public var isOver: Bool { [.complete, .ended, .lost].contains(self) }
}

/// An axis of an accelerometer. The raw value is the letter of the axis.
public enum SensorAxis: String, CaseIterable, Sendable, CustomStringConvertible {
    case x, y, z

    /// The number of the axis in RECORD.
    public var number: UInt8 {
        switch self {
        case .x: 0
        case .y: 1
        case .z: 2
        }
    }

    /// The letter of the axis.
    public var description: String { rawValue }
}

/// The message RECORD, which starts or ends a recording.
public struct Record: PayloadCoding {
    /// The axis: 0, 1 and 2 are x, y and z.
    public var axis: UInt8
    /// True if the recording begins when a stream is playing, and false if it begins immediately.
    public var waitsForStream: Bool
    /// The number of samples divided by two; 0 to end the recording.
    public var pairs: UInt16

    /// Creates a RECORD from its fields.
    public init(axis: UInt8 = 2, waitsForStream: Bool = false, pairs: UInt16) {
        self.axis = axis
        self.waitsForStream = waitsForStream
        self.pairs = pairs
    }

    static let size = Int(BRIDGE_RECORD_SIZE)

    init(from reader: inout PayloadReader) {
        axis = reader.integer()
        waitsForStream = reader.integer(UInt8.self) != 0
        pairs = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(axis)
        writer.integer(UInt8(waitsForStream ? 1 : 0))
        writer.integer(pairs)
    }
}

/// The message SENSOR_STATE (A7).
public struct SensorState: PayloadCoding, Hashable {
    /// The accelerometer that the device has found.
    public var kind: SensorKind
    /// The state of the current or of the last recording.
    public var recording: RecordingState

    /// Creates a SENSOR_STATE from its fields.
    public init(kind: SensorKind, recording: RecordingState) {
        self.kind = kind
        self.recording = recording
    }

    static let size = Int(BRIDGE_SENSOR_STATE_SIZE)

    init(from reader: inout PayloadReader) {
        kind = reader.code()
        recording = reader.code()
    }

    func write(to writer: inout PayloadWriter) {
        writer.code(kind)
        writer.code(recording)
    }
}

/// The message SAMPLES (82), which contains up to twelve samples of a recording.
public struct Samples: PayloadCoding {
    /// The number of events in which samples may have been lost, modulo 256.
    public var gaps: UInt8
    /// The running number of the first sample, modulo 65,536.
    public var number: UInt16
    /// The device time at which the level of the accelerometer's FIFO was last read, in
    /// microseconds.
    public var time: UInt32
    /// The running number of the first sample that the accelerometer had not yet taken at `time`,
    /// modulo 65,536.
    public var reached: UInt16
    /// The samples, in steps of the accelerometer (``SensorProperties``).
    public var values: [Int16]

    /// Creates a SAMPLES from its fields.
    public init(gaps: UInt8, number: UInt16, time: UInt32, reached: UInt16, values: [Int16]) {
        self.gaps = gaps
        self.number = number
        self.time = time
        self.reached = reached
        self.values = values
    }

    static let size = Int(BRIDGE_SAMPLES_SIZE)

    init(from reader: inout PayloadReader) {
        let count = Int(reader.integer(UInt8.self))
        gaps = reader.integer()
        number = reader.integer()
        time = reader.integer()
        reached = reader.integer()
        let all: [Int16] = (0..<Int(BRIDGE_SAMPLES_MAX)).map { _ in reader.integer() }
        values = Array(all.prefix(count))
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(UInt8(values.count))
        writer.integer(gaps)
        writer.integer(number)
        writer.integer(time)
        writer.integer(reached)
        let unused = [Int16](repeating: 0, count: Int(BRIDGE_SAMPLES_MAX) - values.count)
        for value in values + unused { writer.integer(value) }
    }
}

/// The properties of an accelerometer as the device sets it up (SPEC 11.1).
public struct SensorProperties: Hashable, Sendable {
    /// The nominal number of samples per second. The clock of the accelerometer deviates by up to 5
    /// %.
    public var rate: Double
    /// The acceleration that one step of a value represents, in g.
    public var step: Double
    /// The maximum acceleration on each axis, in g.
    public var range: Double
    /// The bandwidth in hertz.
    public var bandwidth: Double
    /// The maximum number of samples that the FIFO keeps while a recording waits for a stream.
    public var kept: Int

    /// Creates the properties of a kind; nil if the kind is none or unknown.
    public init?(of kind: SensorKind) {
        switch kind {
        case .lis3dh: self.init(1_344, step: 16 / 64e3, range: 8, bandwidth: 672, kept: 32)
        case .lis2dw12:
            self.init(1_600, step: 1.952 / 4e3, range: 16, bandwidth: 400, kept: 32)
        case .lsm6dso: self.init(1_666, step: 0.244e-3, range: 8, bandwidth: 833, kept: 512)
        default: return nil
        }
    }

    private init(
        _ rate: Double, step: Double, range: Double, bandwidth: Double, kept: Int
    ) {
        self.rate = rate
        self.step = step
        self.range = range
        self.bandwidth = bandwidth
        self.kept = kept
    }

    /// The maximum deviation of an accelerometer's clock, as a fraction.
    public static let clockTolerance = 0.05

    /// The delay of a sample relative to the motion, in microseconds: the group delay of a
    /// second-order low-pass filter with this bandwidth.
    public var delay: Double { 1e6 / (2.0.squareRoot() * .pi * bandwidth) }

    /// Returns the gain at a frequency in hertz: the gain of a second-order Butterworth low-pass
    /// filter with this bandwidth.
    public func gain(at frequency: Double) -> Double {
        let ratio = frequency / bandwidth
        return 1 / (1 + ratio * ratio * ratio * ratio).squareRoot()
    }
}
