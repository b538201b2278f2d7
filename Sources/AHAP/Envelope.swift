// The envelope of a continuous event, and the one place that turns its adjusters into time.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The shape of a continuous event in time.
///
/// The three times are *adjusters* from 0 (shortest) to 1 (longest), not seconds (AHAP-doc);
/// ``EnvelopeTiming`` says what they last.
public struct Envelope: Sendable, Equatable {
    /// How long the intensity takes to rise, 0...1.
    public var attackTime: Double
    /// How long it takes to fall again when not ``sustained``, 0...1.
    public var decayTime: Double
    /// How long it takes to fall after the event's duration when ``sustained``, 0...1.
    public var releaseTime: Double
    /// True: attack, full level until the duration is over, then release.
    /// False: attack, then decay, and the event is over; duration and release do not hold it up.
    public var sustained: Bool

    /// Makes an envelope. The default is a sustained event that starts and ends at once.
    ///
    /// `sustained` is true by default after `CHHapticEventParameter.h`; the table in Apple's Unity
    /// plug-in says otherwise, and the header ranks higher.
    public init(
        attackTime: Double = 0, decayTime: Double = 0, releaseTime: Double = 0,
        sustained: Bool = true
    ) {
        self.attackTime = attackTime
        self.decayTime = decayTime
        self.releaseTime = releaseTime
        self.sustained = sustained
    }
}

/// What an adjuster of an ``Envelope`` lasts.
///
/// AHAP-doc says that larger values lengthen a phase *exponentially*, and that 1 is not one second;
/// the map itself is not public. Ours is `shortest * (longest / shortest) ^ adjuster`, with
/// adjusters of 0 and below lasting `none`.
public struct EnvelopeTiming: Sendable, Equatable {
    /// What an adjuster of 0 lasts, in microseconds.
    public var none: Microseconds
    /// What the least adjuster above 0 lasts, in microseconds; above 0.
    public var shortest: Microseconds
    /// What an adjuster of 1 lasts, in microseconds.
    public var longest: Microseconds

    /// Our choice of constants: T0 = 0, Tmin = 5 ms, Tmax = 1 s.
    ///
    /// 5 ms is about what a small actuator can follow, 1 s about the longest fade that still reads
    /// as part of one event. Real files hardly use ramps: being fixed and documented matters more.
    public static let standard = EnvelopeTiming(none: 0, shortest: 5_000, longest: 1_000_000)

    /// Makes a map with other constants.
    public init(none: Microseconds, shortest: Microseconds, longest: Microseconds) {
        self.none = none
        self.shortest = shortest
        self.longest = longest
    }

    /// The length of a phase in microseconds, for an adjuster that is limited to 0...1 first.
    public func duration(of adjuster: Double) -> Microseconds {
        guard adjuster > 0 else { return none }
        let ratio = Double(longest) / Double(shortest)
        return Microseconds((Double(shortest) * pow(ratio, min(adjuster, 1))).rounded())
    }
}
