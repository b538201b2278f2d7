// ClockSync: what time it is on the device (SPEC 5), from CLOCK exchanges.
//
// This version takes the exchange that says most about now and assumes that both clocks run alike. The
// questions asked here (device time, host time, rate, bound) are those of a version that tracks drift.

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
        public var hostSent: Microseconds
        public var deviceReceived: Microseconds
        public var deviceTransmitted: Microseconds
        public var hostReceived: Microseconds

        /// The time on the line, both ways together.
        public var roundTrip: Microseconds {
            (hostReceived - hostSent) - (deviceTransmitted - deviceReceived)
        }
        /// The middle of the exchange on the host's clock.
        public var hostTime: Microseconds { hostSent + (hostReceived - hostSent) / 2 }
        /// The middle of the exchange on the device's clock.
        public var deviceTime: Microseconds {
            deviceReceived + (deviceTransmitted - deviceReceived) / 2
        }
    }

    /// Newest last.
    public private(set) var samples: [Sample] = []
    private var anchor: (host: Microseconds, device: Microseconds)?

    private static let samplesMax = 16
    /// Host microseconds in which the clocks may drift apart by 1: a ceramic resonator's 0.5 %.
    private static let driftReciprocal: Microseconds = 200

    public init() {}

    /// Device microseconds per host microsecond. This version does not measure it.
    public var rate: Double { 1 }

    /// The scale that makes a tick last `microseconds` of the host's time.
    public func tickScale(microseconds: Double) -> TickScale {
        TickScale(microseconds: microseconds * rate)
    }

    // MARK: Samples

    /// Takes a device stamp of about `host`, so that later stamps can be extended.
    public mutating func noteStamp(_ stamp: UInt32, at host: Microseconds) {
        anchor = (host, extend(stamp, near: host))
    }

    /// Takes the answer to a CLOCK that left at `sent` and was answered at `received`, host time.
    /// An exchange that cannot be true (negative time on the line) is left out.
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
        samples = samples.suffix(Self.samplesMax - 1) + [sample]
        return true
    }

    /// The 64-bit device time whose low 32 bits are `stamp`, nearest to what the device's clock
    /// shows at `host`. Exact as long as stamps are less than half an hour apart (SPEC 5).
    public func extend(_ stamp: UInt32, near host: Microseconds) -> Microseconds {
        guard let anchor else { return Microseconds(stamp) }
        let expected = anchor.device + (host - anchor.host)
        return expected + Int64(Int32(bitPattern: stamp &- UInt32(truncatingIfNeeded: expected)))
    }

    // MARK: Estimates

    /// The device's 64-bit time at `host`, or nil before the first sample.
    public func deviceTime(at host: Microseconds) -> ClockEstimate? {
        bestSample(at: host).map {
            ClockEstimate(
                time: $0.deviceTime + (host - $0.hostTime), errorBound: bound(of: $0, at: host))
        }
    }

    /// The host's time when the device's 64-bit clock shows `device`, or nil before the first sample.
    public func hostTime(ofDevice device: Microseconds, at now: Microseconds) -> ClockEstimate? {
        bestSample(at: now).map { sample in
            let host = sample.hostTime + (device - sample.deviceTime)
            return ClockEstimate(time: host, errorBound: bound(of: sample, at: host))
        }
    }

    private func bestSample(at host: Microseconds) -> Sample? {
        samples.min { bound(of: $0, at: host) < bound(of: $1, at: host) }
    }

    /// Half the round trip, and what the clocks may have drifted since.
    private func bound(of sample: Sample, at host: Microseconds) -> Microseconds {
        (sample.roundTrip + 1) / 2 + abs(host - sample.hostTime) / Self.driftReciprocal
    }
}
