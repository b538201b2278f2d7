// RecordedAcceleration: the result of a recording of an accelerometer (SPEC 11).

/// The acceleration that a device has recorded along one axis of its accelerometer.
///
/// The values are those of the accelerometer: its gain deviates by up to 10 %, its zero by up to 0.1
/// g, and gravity is included.
public struct RecordedAcceleration: Sendable {
    /// The acceleration at one time.
    public struct Sample: Hashable, Sendable {
        /// The time of the motion on the device's clock, in microseconds after
        /// ``RecordedAcceleration/origin``. The delay of the accelerometer has been subtracted.
        public var time: Double
        /// The acceleration in g.
        public var acceleration: Double

        /// Creates a sample from its time and its acceleration.
        public init(time: Double, acceleration: Double) {
            self.time = time
            self.acceleration = acceleration
        }
    }

    /// The kind of the accelerometer.
    public var sensor: SensorKind
    /// The recorded axis.
    public var axis: SensorAxis
    /// The properties of the accelerometer: its nominal rate, the constant delay that has been
    /// subtracted from all times, and the acceleration at which its values are clipped.
    public var properties: SensorProperties
    /// The rate of the samples on the device's clock, in hertz.
    public var rate: Double
    /// The standard error of ``rate``, in hertz.
    public var rateError: Double
    /// The device time from which the times of samples count, in microseconds (SPEC 5).
    public var origin: UInt32
    /// The samples, in the order of their times.
    public var samples: [Sample]
    /// The number of events in which the device may have lost samples, modulo 256.
    public var gaps: Int
    /// The number of samples that were lost on the line to the host.
    public var lost: Int
    /// The number of samples from before the last gap. Their times are unknown, so ``samples`` does
    /// not contain these samples.
    public var untimed: Int
    /// The state in which the recording ended.
    public var end: RecordingState

    /// Creates the result of a recording; nil if the times of the samples are unknown because the
    /// recording is too short.
    ///
    /// - Parameters:
    ///   - recording: the samples and their times.
    ///   - expected: the number of samples that were requested.
    public init?(
        _ recording: SensorRecording, of sensor: SensorKind, _ axis: SensorAxis,
        end: RecordingState, expected: Int
    ) {
        guard let clock = recording.clock, let samples = recording.timed else { return nil }
        self.sensor = sensor
        self.axis = axis
        properties = recording.properties
        rate = 1e6 / clock.period
        rateError = rate * clock.periodError / clock.period
        origin = recording.origin
        self.samples = samples
        gaps = Int(recording.gaps)
        lost = recording.lost + (end == .complete ? expected - recording.next : 0)
        untimed = recording.firstTimed
        self.end = end
    }

    /// Returns the samples with their times in microseconds after a device time near the recording.
    /// The times of earlier samples are negative.
    ///
    /// - Parameter rate: the number of microseconds on the device's clock per microsecond of the
    ///   returned times.
    public func samples(since time: UInt32, rate: Double = 1) -> [Sample] {
        let offset = Double(Int32(bitPattern: origin &- time))
        return samples.map {
            Sample(time: (offset + $0.time) / rate, acceleration: $0.acceleration)
        }
    }
}
