// SensorRecording: the samples of a recording, and the times at which the accelerometer took them
// (SPEC 11).

/// The samples of an accelerometer's recording. The accelerometer has its own clock, which a line
/// through the pairs of time and running number in ``Samples`` relates to the clock of the device.
public struct SensorRecording: Sendable {
    /// The properties of the accelerometer.
    public let properties: SensorProperties
    /// The samples, in steps of the accelerometer, in the order of their numbers.
    public private(set) var values: [Int16] = []
    /// The number of events in which samples may have been lost, modulo 256. If this number is not 0,
    /// the times of the samples before the last gap are unknown.
    public private(set) var gaps: UInt8 = 0
    /// The number of samples that were lost on the line to the host. The times of the other samples
    /// remain known, because the samples are numbered.
    public private(set) var lost = 0
    /// The index of the first sample after the last gap, whose time is known.
    public private(set) var firstTimed = 0
    /// The running number of the sample that follows the last one.
    public private(set) var next = 0
    /// The device time from which ``time(ofSample:)`` counts, in microseconds.
    public private(set) var origin: UInt32 = 0

    /// The running number of each sample. It differs from the index after a loss.
    private var numbers: [Int] = []

    /// The pairs of running number and time since the last gap, in samples and microseconds.
    private var pairs: [(number: Double, time: Double)] = []
    private var lastPair: (reached: UInt16, time: UInt32)?

    /// Creates an empty recording of an accelerometer.
    public init(of properties: SensorProperties) {
        self.properties = properties
    }

    /// Appends the samples of the next message.
    public mutating func append(_ samples: Samples) {
        // Running numbers have 16 bits, and less than 65,536 samples are lost in a row.
        let missing = Int(samples.number &- UInt16(truncatingIfNeeded: next))
        let ahead = Int(samples.reached &- samples.number)
        let first = next + missing
        lost += missing
        next = first + samples.values.count
        if samples.gaps != gaps {
            gaps = samples.gaps
            pairs = []
            firstTimed = values.count + samples.values.count
        }
        recordPair(first + ahead, samples)
        numbers += first..<next
        values += samples.values
    }

    /// Records a pair unless the previous message contained it. The first pair of a recording is
    /// not used: the FIFO may have been full at its time.
    private mutating func recordPair(_ number: Int, _ samples: Samples) {
        defer { lastPair = (samples.reached, samples.time) }
        guard let lastPair else {
            origin = samples.time
            return
        }
        guard lastPair != (samples.reached, samples.time) else { return }
        pairs.append((Double(number), Double(samples.time &- origin)))
    }

    /// The line that was fitted to the pairs: the time of sample 0 after ``origin``, the period of
    /// the samples, and the standard error of the period, in microseconds. Nil until there are two
    /// pairs.
    public var clock: (start: Double, period: Double, periodError: Double)? {
        guard pairs.count > 1 else { return nil }
        let count = Double(pairs.count)
        let mean = (
            number: pairs.reduce(0) { $0 + $1.number } / count,
            time: pairs.reduce(0) { $0 + $1.time } / count
        )
        var (products, squares) = (0.0, 0.0)
        for pair in pairs {
            products += (pair.number - mean.number) * (pair.time - mean.time)
            squares += (pair.number - mean.number) * (pair.number - mean.number)
        }
        guard squares > 0 else { return nil }
        let period = products / squares
        let deviations = pairs.reduce(0) { sum, pair in
            let fitted = mean.time + period * (pair.number - mean.number)
            return sum + (pair.time - fitted) * (pair.time - fitted)
        }
        // The age of the newest sample is between 0 and one period, which is a variance of a
        // twelfth of the squared period.
        let variance = max(deviations / count, period * period / 12)
        // On average, the newest sample is half a period old when the level of the FIFO is read.
        return (
            mean.time - period * (mean.number - 0.5), period, (variance / squares).squareRoot()
        )
    }

    /// Returns the time of the motion that a sample represents, in microseconds after ``origin``;
    /// nil if the clock is unknown. The filter of the accelerometer delays a sample by
    /// ``SensorProperties/delay``.
    public func time(ofSample index: Int) -> Double? {
        clock.map { $0.start + Double(numbers[index]) * $0.period - properties.delay }
    }

    /// The samples whose times are known, with their times after ``origin``; nil if the clock is
    /// unknown.
    var timed: [RecordedAcceleration.Sample]? {
        guard let clock else { return nil }
        return values.indices[firstTimed...].map { index in
            RecordedAcceleration.Sample(
                time: clock.start + Double(numbers[index]) * clock.period - properties.delay,
                acceleration: acceleration(ofSample: index))
        }
    }

    /// Returns the acceleration of a sample in g, without a calibration: the gain of an
    /// accelerometer deviates by up to 10 %.
    public func acceleration(ofSample index: Int) -> Double {
        Double(values[index]) * properties.step
    }
}
