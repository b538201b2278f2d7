// ClockSync: estimates the time on the device's clock (SPEC 5) from CLOCK exchanges.
//
// Each exchange bounds the device's clock from above and from below. At the earliest time at which
// the query can have arrived, the clock showed at most `received`. At the latest time at which the
// answer can have been sent, the clock showed at least `transmitted`. No delay must be guessed or
// averaged: stalls and USB frames make the bounds less tight, but never wrong. The device's clock
// is assumed to have been a linear function of the host's clock over the last half minute. All
// lines that satisfy all bounds are stored (`ClockRegion`), so the error bound of an estimate is
// exactly the remaining uncertainty.
//
// If bounds contradict each other, the clock does not follow a line: either the clock jitters, like
// the clock of a board that is simulated on a busy machine, or the clock has been set. A single
// sample that contradicts the other samples is a suspect and changes nothing. If there are many
// suspects, either all bounds are widened by the amount of jitter that makes them consistent, or
// the older samples are discarded because a clock has changed its rate. If all new samples are
// suspects, a clock has been set, and all earlier samples are discarded.

/// The relation between the host's clock and the device's clock.
public struct ClockSync: Sendable {
    /// A CLOCK exchange: two time stamps of each clock.
    public struct Sample: Hashable, Sendable {
        /// The earliest host time at which the last byte of the query can have arrived.
        public var hostSent: HostTime
        /// The device time at which the last byte of the query arrived.
        public var deviceReceived: DeviceTime
        /// The device time at which the answer was ready to be sent.
        public var deviceTransmitted: DeviceTime
        /// The latest host time at which the first byte of the answer can have been sent.
        public var hostReceived: HostTime

        /// The sum of the delays in both directions of the exchange, in microseconds.
        public var roundTrip: Microseconds {
            (hostReceived - hostSent) - (deviceTransmitted - deviceReceived)
        }
    }

    /// The samples of the last `span`, newest last. Samples from before a clock was set or changed
    /// its rate are excluded.
    public private(set) var samples: [Sample] = []
    /// The samples that contradict `samples` even with the current `jitter`, newest last.
    private var suspects: [Sample] = []
    /// The history of the newest samples as one bit for each sample. The lowest bit represents the
    /// newest sample. A bit is set if its sample was a suspect.
    private var recentSuspects: UInt16 = 0
    /// The distance by which the clocks may deviate from a line, in microseconds. Each bound is
    /// widened by this distance.
    private var jitter = 0.0
    private var anchor: (host: HostTime, device: DeviceTime)?
    /// The possible lines. Each line describes the difference between the device's and the host's
    /// elapsed time since `origin`, in microseconds, as a function of the host's elapsed time in
    /// seconds. The drift of a line is in parts per million.
    private var region: ClockRegion?
    /// The most likely line of `region`.
    private var line: ClockRegion.Line?
    private var origin: (host: HostTime, device: DeviceTime) = (0, 0)

    /// The time for which a sample is used, on the host's clock.
    static let span: Microseconds = 30_000_000
    /// The range of possible drifts, in parts per million: the drifts of ceramic resonators, with a
    /// margin.
    static let drifts = -6_000.0...6_000.0
    /// The range of drifts of quartz crystals, in parts per million. The drift is assumed to be in
    /// this range until measurements contradict the assumption.
    static let usualDrifts = -100.0...100.0
    /// The maximum rate at which a drift changes while boards warm up, in parts per million per
    /// second.
    static let wander = 0.02
    /// The resolution of time stamps: one microsecond.
    static let resolution = 1.0
    /// The maximum deviation from a line that counts as jitter, in microseconds. A clock that
    /// deviates further has been set.
    static let jitterMax = 640.0
    /// The jitter below which the clocks are considered jitter-free, in microseconds.
    private static let jitterMin = 20.0
    /// The number of suspects among the last twelve samples that is too high to be a coincidence.
    private static let suspectsMax = 5
    /// The number of consecutive suspects that proves that a clock has been set.
    private static let suspectsInARowMax = 5
    /// The minimum number of samples that is needed to estimate the jitter.
    private static let samplesMin = 16

    /// Creates a relation without any samples.
    public init() {}

    /// The number of device microseconds per host microsecond; 1 if the number is unknown.
    public var rate: Double { 1 + (drift ?? 0) / 1_000_000 }

    /// The deviation of the rate of the device's clock from that of the host's clock, in parts per
    /// million; nil if the deviation is not yet known, or if no constant deviation of up to 0.6 %
    /// is consistent with the samples.
    public var drift: Double? { line?.drift }

    // MARK: Samples

    /// Stores a device time stamp that was created at about the host time `host`, so that later
    /// time stamps can be extended to 64 bits.
    public mutating func recordStamp(_ stamp: UInt32, at host: HostTime) {
        anchor = (host, extend(stamp, near: host))
    }

    /// Adds the answer to a CLOCK. Returns true if the exchange was possible.
    ///
    /// An exchange is impossible if its bytes would have taken a negative time on the line. An
    /// impossible exchange is ignored.
    /// - Parameters:
    ///   - sent: the earliest host time at which the last byte of the query can have arrived.
    ///   - received: the latest host time at which the first byte of the answer can have been sent.
    @discardableResult
    public mutating func add(_ reply: ClockReply, sent: HostTime, received: HostTime) -> Bool {
        let deviceReceived = extend(reply.received, near: received)
        let processing = Int32(bitPattern: reply.transmitted &- reply.received)
        let sample = Sample(
            hostSent: sent, deviceReceived: deviceReceived,
            deviceTransmitted: deviceReceived + Int64(processing), hostReceived: received)
        guard processing >= 0, sample.roundTrip >= 0 else { return false }
        anchor = (received, sample.deviceTransmitted)
        samples.removeAll { $0.hostReceived < received - Self.span }
        suspects.removeAll { $0.hostReceived < received - Self.span }
        add(sample)
        return true
    }

    /// Returns the 64-bit device time whose low 32 bits are `stamp` and that is nearest to the
    /// device time at `host`. The result is exact if successive stamps are less than half an hour
    /// apart (SPEC 5).
    public func extend(_ stamp: UInt32, near host: HostTime) -> DeviceTime {
        guard let anchor else { return DeviceTime(stamp: stamp) }
        let expected = anchor.device + (host - anchor.host)
        return expected + Microseconds(Int32(bitPattern: stamp &- expected.stamp))
    }

    // MARK: Lines

    private mutating func add(_ sample: Sample) {
        recentSuspects <<= 1
        let limit = min(1.2 * jitter + 4, Self.jitterMax)
        if let lines = lines(through: samples + [sample], atMost: limit) {
            samples.append(sample)
            adopt(lines)
            return
        }
        recentSuspects |= 1
        suspects.append(sample)
        if (~recentSuspects).trailingZeroBitCount >= Self.suspectsInARowMax {
            beginAnew()
        } else if (recentSuspects & 0xFFF).nonzeroBitCount >= Self.suspectsMax {
            reconsider()
        }
    }

    /// Discards all samples except the latest consecutive suspects, which were taken since a clock
    /// was set.
    private mutating func beginAnew() {
        samples = suspects.suffix(Self.suspectsInARowMax)
        (suspects, recentSuspects, jitter) = ([], 0, 0)
        if let lines = lines(through: samples, atMost: Self.jitterMax) { return adopt(lines) }
        samples = samples.suffix(1)
        lines(through: samples, atMost: Self.jitterMax).map { adopt($0) }
    }

    /// Accepts the suspects as samples, because such a large number of suspects means that the
    /// clocks jitter. Does nothing if no amount of jitter explains the suspects.
    private mutating func reconsider() {
        let all = (samples + suspects).sorted { $0.hostReceived < $1.hostReceived }
        guard let lines = lines(through: all, atMost: Self.jitterMax) else { return }
        (samples, suspects, recentSuspects) = (all, [], 0)
        adopt(lines)
    }

    /// Adopts `lines`. If the newer samples are much more consistent without the older samples, a
    /// clock has changed its rate, and the older samples are discarded.
    private mutating func adopt(_ lines: Lines) {
        var kept = lines
        var newer = samples
        while lines.jitter > Self.jitterMin, newer.count >= 2 * Self.samplesMin {
            newer = newer.suffix(newer.count / 2)
            if let without = self.lines(through: newer, atMost: lines.jitter),
                2 * without.jitter + Self.jitterMin < lines.jitter
            {
                (kept, samples) = (without, newer)
                break
            }
        }
        (region, jitter, origin) = (kept.region, kept.jitter, kept.origin)
        line = kept.region.line(usual: Self.usualDrifts)
    }

    /// The lines that are consistent with the samples, and the jitter by which the bounds were
    /// widened.
    private struct Lines {
        var region: ClockRegion
        var jitter: Double
        var origin: (host: HostTime, device: DeviceTime)
    }

    /// Returns the lines that are consistent with `samples`, with a jitter slightly above the
    /// minimum that allows any line. Returns nil if that jitter exceeds `limit`. The search starts
    /// at the current jitter.
    private func lines(through samples: [Sample], atMost limit: Double) -> Lines? {
        for tried in jitter < 1 ? [0] : [jitter * 0.9, jitter] where tried <= limit {
            if let lines = lines(through: samples, jitter: tried < 1 ? 0 : tried) { return lines }
        }
        guard var best = lines(through: samples, jitter: limit) else { return nil }
        var range = min(jitter, limit)...limit
        while range.upperBound - range.lowerBound > 2 + range.lowerBound / 4 {
            let middle = (range.lowerBound + range.upperBound) / 2
            if let lines = lines(through: samples, jitter: middle) {
                best = lines
                range = range.lowerBound...middle
            } else {
                range = middle...range.upperBound
            }
        }
        return best
    }

    private func lines(through samples: [Sample], jitter: Double) -> Lines? {
        let newest = samples[samples.count - 1]
        let origin = (host: newest.hostReceived, device: newest.deviceTransmitted)
        // The newest sample alone excludes every offset outside this range. The range includes the
        // delays of the exchange and the drift during the exchange.
        let exchange = Double(newest.hostReceived - newest.hostSent)
        let margin = 2 * Self.resolution + jitter
        let widest = Double(newest.roundTrip) + exchange / 100 + margin
        var region = ClockRegion(offset: -margin...widest, drift: Self.drifts)
        for sample in samples {
            let sent = Double(sample.hostSent - origin.host) / 1_000_000
            let received = Double(sample.hostReceived - origin.host) / 1_000_000
            let atSent = (sample.deviceReceived - origin.device) - (sample.hostSent - origin.host)
            let atReceived =
                (sample.deviceTransmitted - origin.device) - (sample.hostReceived - origin.host)
            region.bound(at: sent, above: Double(atSent) + slack(at: sent, jitter))
            region.bound(at: received, below: Double(atReceived) - slack(at: received, jitter))
            if region.corners.isEmpty { return nil }
        }
        return Lines(region: region, jitter: jitter, origin: origin)
    }

    private func seconds(_ host: HostTime) -> Double { Double(host - origin.host) / 1_000_000 }

    /// Returns the maximum deviation of a clock from the current line, in microseconds, at a time
    /// that is `seconds` away.
    private func slack(at seconds: Double, _ jitter: Double) -> Double {
        Self.resolution + jitter + Self.wander / 2 * seconds * seconds
    }

    /// The maximum deviation from a straight line, in microseconds, of a clock with jitter. The
    /// deviation is three times the jitter, because loose bounds reveal only a part of the jitter.
    private var strays: Double { 3 * jitter + (suspects.isEmpty ? 0 : Self.jitterMin) }

    // MARK: Estimates

    /// Returns the device time at the host time `host`; nil before the first sample.
    public func deviceTime(at host: HostTime) -> ClockEstimate<DeviceTime>? {
        let seconds = seconds(host)
        guard let line, let values = region?.values(at: seconds) else { return nil }
        let lead = line.value(at: seconds)
        let error = max(values.upperBound - lead, lead - values.lowerBound)
        return ClockEstimate(
            time: origin.device + (host - origin.host) + Microseconds(lead.rounded()),
            errorBound: Microseconds((error + slack(at: seconds, strays)).rounded(.up)))
    }

    /// Returns the host time at which the device's clock shows `device`; nil before the first
    /// sample.
    public func hostTime(ofDevice device: DeviceTime) -> ClockEstimate<HostTime>? {
        guard samples.last != nil else { return nil }
        var host = origin.host + (device - origin.device)
        // The rates of the clocks differ by a few parts per thousand, and each iteration reduces
        // the error to a few thousandths of its previous value.
        for _ in 0..<4 {
            guard let estimate = deviceTime(at: host) else { return nil }
            host += device - estimate.time
        }
        return deviceTime(at: host).map {
            ClockEstimate(time: host, errorBound: $0.errorBound + 1)
        }
    }
}
