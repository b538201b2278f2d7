// ClockSync: what time it is on the device (SPEC 5), from CLOCK exchanges.
//
// An exchange bounds the device's clock from both sides: it showed at most `received` when the question
// could first have arrived, and at least `transmitted` when the answer could last have left. No delay
// has to be guessed, none is averaged in: stalls and USB frames make bounds loose, never false. The
// clock is taken for a straight line over the last half minute; what all bounds together leave of the
// lines is kept (`ClockRegion`), so that the error bound that callers get is what is not known, no more.
//
// Where bounds contradict each other, a clock is no line: it jitters, as that of a board that is
// simulated on a busy machine, or it has been set. A sample that stands alone against the others is a
// suspect and moves nothing. Where many come together, all bounds are widened by the jitter that makes
// them agree, or the older samples go if a clock has changed its rate. Where nothing else comes, a clock
// was set, and all that was before goes.

/// A moment on one clock that belongs to a moment on the other.
public struct ClockEstimate: Hashable, Sendable {
    /// Microseconds on the clock that was asked about; device time is extended to 64 bits.
    public var time: Microseconds
    /// The true moment lies within so many microseconds of `time`, either way.
    public var errorBound: Microseconds
}

/// The relation between the host's clock and the device's.
public struct ClockSync: Sendable {
    /// One CLOCK exchange: two stamps of each clock, in microseconds.
    public struct Sample: Hashable, Sendable {
        /// The host's time at which the question's last byte can first have arrived.
        public var hostSent: Microseconds
        public var deviceReceived: Microseconds
        public var deviceTransmitted: Microseconds
        /// The host's time at which the answer's first byte can last have left.
        public var hostReceived: Microseconds

        /// The delays of the exchange, both ways together.
        public var roundTrip: Microseconds {
            (hostReceived - hostSent) - (deviceTransmitted - deviceReceived)
        }
    }

    /// Newest last: those of `span`, unless the clocks did something that no line explains since.
    public private(set) var samples: [Sample] = []
    /// Those that contradict the samples by more than `jitter`, newest last.
    private var suspects: [Sample] = []
    /// The newest samples, a bit each that is set for a suspect; the newest is the lowest.
    private var recentSuspects: UInt16 = 0
    /// The distance by which the clocks stray from a line, in microseconds, by which each bound
    /// is widened.
    private var jitter = 0.0
    private var anchor: (host: Microseconds, device: Microseconds)?
    /// Lines over seconds of host time since `origin`, in microseconds of the device's lead over
    /// the host since then; the drift is in parts per million.
    private var region: ClockRegion?
    /// The likeliest of them.
    private var line: ClockRegion.Line?
    private var origin: (host: Microseconds, device: Microseconds) = (0, 0)

    /// How long a sample counts, in host microseconds.
    static let span: Microseconds = 30_000_000
    /// The fastest and the slowest clocks, in parts per million: ceramic resonators, and a margin.
    static let drifts = -6_000.0...6_000.0
    /// Those of quartz crystals, which are supposed until measurements contradict it.
    static let usualDrifts = -100.0...100.0
    /// How fast a drift may change, in parts per million a second: boards get warm.
    static let wander = 0.02
    /// Stamps are whole microseconds.
    static let resolution = 1.0
    /// Clocks that stray further from a line have been set, in microseconds.
    static let jitterMax = 640.0
    /// Jitter below this is none, in microseconds.
    private static let jitterMin = 20.0
    /// So many suspects among the last twelve samples are no accident.
    private static let suspectsMax = 5
    /// So many in a row say that a clock was set.
    private static let suspectsInARowMax = 5
    /// Fewer samples than these say little of the jitter.
    private static let samplesMin = 16

    public init() {}

    /// Device microseconds per host microsecond.
    public var rate: Double { 1 + (line?.drift ?? 0) / 1_000_000 }

    // MARK: Samples

    /// Takes a device stamp of about `host`, so that later stamps can be extended.
    public mutating func noteStamp(_ stamp: UInt32, at host: Microseconds) {
        anchor = (host, extend(stamp, near: host))
    }

    /// Takes the answer to a CLOCK.
    ///
    /// An exchange that cannot be true (negative time on the line) is left out.
    /// - Parameters:
    ///   - sent: host time at which the question's last byte can first have arrived.
    ///   - received: host time at which the answer's first byte can last have left.
    @discardableResult
    public mutating func add(_ reply: ClockReply, sent: Microseconds, received: Microseconds)
        -> Bool
    {
        let deviceReceived = extend(reply.received, near: received)
        let processing = Int32(bitPattern: reply.transmitted &- reply.received)
        let sample = Sample(
            hostSent: sent, deviceReceived: deviceReceived,
            deviceTransmitted: deviceReceived + Int64(processing), hostReceived: received)
        guard processing >= 0, sample.roundTrip >= 0 else { return false }
        anchor = (received, sample.deviceTransmitted)
        samples.removeAll { $0.hostReceived < received - Self.span }
        suspects.removeAll { $0.hostReceived < received - Self.span }
        take(sample)
        return true
    }

    /// The 64-bit device time whose low 32 bits are `stamp`, nearest to what the device's clock
    /// shows at `host`. Exact as long as stamps are less than half an hour apart (SPEC 5).
    public func extend(_ stamp: UInt32, near host: Microseconds) -> Microseconds {
        guard let anchor else { return Microseconds(stamp) }
        let expected = anchor.device + (host - anchor.host)
        return expected + Int64(Int32(bitPattern: stamp &- UInt32(truncatingIfNeeded: expected)))
    }

    // MARK: Lines

    private mutating func take(_ sample: Sample) {
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

    /// The suspects in a row are all that is known of a clock that was set.
    private mutating func beginAnew() {
        samples = suspects.suffix(Self.suspectsInARowMax)
        (suspects, recentSuspects, jitter) = ([], 0, 0)
        if lines(through: samples, atMost: Self.jitterMax) == nil { samples = samples.suffix(1) }
        lines(through: samples, atMost: Self.jitterMax).map { adopt($0) }
    }

    /// Suspects are so many that the clocks jitter, unless no jitter explains them.
    private mutating func reconsider() {
        let all = (samples + suspects).sorted { $0.hostReceived < $1.hostReceived }
        guard let lines = lines(through: all, atMost: Self.jitterMax) else { return }
        (samples, suspects, recentSuspects) = (all, [], 0)
        adopt(lines)
    }

    /// Takes lines over. If the newer samples agree much better without the older ones, a clock has
    /// changed its rate, and the older ones go.
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

    /// The lines that samples leave, with the jitter by which their bounds had to be widened.
    private struct Lines {
        var region: ClockRegion
        var jitter: Double
        var origin: (host: Microseconds, device: Microseconds)
    }

    /// The lines that samples leave with a jitter not much above the least, which is found from that
    /// of now; nil if it is above `limit`.
    private func lines(through samples: [Sample], atMost limit: Double) -> Lines? {
        for jitter in [jitter * 0.9, jitter] where jitter <= limit {
            if let lines = lines(through: samples, jitter: jitter < 1 ? 0 : jitter) { return lines }
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
        // The newest sample alone leaves no offset outside: its delays, and the drift meanwhile.
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

    private func seconds(_ host: Microseconds) -> Double { Double(host - origin.host) / 1_000_000 }

    /// How far a clock may be off the line of now, so many seconds away.
    private func slack(at seconds: Double, _ jitter: Double) -> Double {
        Self.resolution + jitter + Self.wander / 2 * seconds * seconds
    }

    /// The distance by which a clock that has strayed may be off a line, in microseconds: three times
    /// the jitter, as loose bounds show only a part of it.
    private var strays: Double { 3 * jitter + (suspects.isEmpty ? 0 : Self.jitterMin) }

    // MARK: Estimates

    /// The device's 64-bit time at `host`, or nil before the first sample.
    public func deviceTime(at host: Microseconds) -> ClockEstimate? {
        let seconds = seconds(host)
        guard let line, let values = region?.values(at: seconds) else { return nil }
        let lead = line.value(at: seconds)
        let error = max(values.upperBound - lead, lead - values.lowerBound)
        return ClockEstimate(
            time: origin.device + (host - origin.host) + Microseconds(lead.rounded()),
            errorBound: Microseconds((error + slack(at: seconds, strays)).rounded(.up)))
    }

    /// The host's time when the device's 64-bit clock shows `device`, or nil before the first sample.
    public func hostTime(ofDevice device: Microseconds) -> ClockEstimate? {
        guard samples.last != nil else { return nil }
        var host = origin.host + (device - origin.device)
        // The clocks run alike but for a few parts in a thousand: each turn leaves as much of the error.
        for _ in 0..<4 {
            guard let estimate = deviceTime(at: host) else { return nil }
            host += device - estimate.time
        }
        return deviceTime(at: host).map {
            ClockEstimate(time: host, errorBound: $0.errorBound + 1)
        }
    }
}
