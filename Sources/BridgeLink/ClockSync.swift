// ClockSync: what time it is on the device (SPEC 5), from CLOCK exchanges.
//
// An exchange bounds the device's clock from both sides: it showed at most `received` when the question
// could first have arrived, and at least `transmitted` when the answer could last have left. No delay
// has to be guessed, none is averaged in: stalls and USB frames make bounds loose, never false. The
// clock is taken for a straight line over the last half minute; what all bounds together leave of the
// lines is kept (`ClockRegion`), so that the error bound that callers get is what is not known, no more.

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
        samples.append(sample)
        fit()
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

    /// Finds the lines that all samples leave. If there is none, a clock was set or stood still: what
    /// was measured before goes, the older half first.
    private mutating func fit() {
        while let newest = samples.last {
            origin = (newest.hostReceived, newest.deviceTransmitted)
            let lines = lines(through: samples)
            region = lines
            line = lines.line(usual: Self.usualDrifts)
            if !lines.corners.isEmpty { return }
            samples.removeFirst((samples.count + 1) / 2)
        }
    }

    private func lines(through samples: [Sample]) -> ClockRegion {
        let newest = samples[samples.count - 1]
        // The newest sample alone leaves no offset outside: its delays, and the drift meanwhile.
        let exchange = Double(newest.hostReceived - newest.hostSent)
        let widest = Double(newest.roundTrip) + exchange / 100 + 2 * Self.resolution
        var lines = ClockRegion(offset: -2 * Self.resolution...widest, drift: Self.drifts)
        for sample in samples {
            let sent = seconds(sample.hostSent)
            let received = seconds(sample.hostReceived)
            lines.bound(
                at: sent, above: lead(sample.deviceReceived, sample.hostSent) + slack(at: sent))
            lines.bound(
                at: received,
                below: lead(sample.deviceTransmitted, sample.hostReceived) - slack(at: received))
        }
        return lines
    }

    private func seconds(_ host: Microseconds) -> Double { Double(host - origin.host) / 1_000_000 }

    private func lead(_ device: Microseconds, _ host: Microseconds) -> Double {
        Double((device - origin.device) - (host - origin.host))
    }

    /// How far a clock may be off the line of now, so many seconds away.
    private func slack(at seconds: Double) -> Double {
        Self.resolution + Self.wander / 2 * seconds * seconds
    }

    // MARK: Estimates

    /// The device's 64-bit time at `host`, or nil before the first sample.
    public func deviceTime(at host: Microseconds) -> ClockEstimate? {
        let seconds = seconds(host)
        guard let line, let values = region?.values(at: seconds) else { return nil }
        let lead = line.value(at: seconds)
        let error = max(values.upperBound - lead, lead - values.lowerBound)
        return ClockEstimate(
            time: origin.device + (host - origin.host) + Microseconds(lead.rounded()),
            errorBound: Microseconds((error + slack(at: seconds)).rounded(.up)))
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
