// The envelope of a continuous event, and the only code that turns its adjusters into time.

import CMath

/// The shape of a continuous event over time.
///
/// The three times are *adjusters* from 0 (shortest) to 1 (longest), not seconds (AHAP-doc).
/// ``EnvelopeTiming`` converts them to durations.
public struct Envelope: Sendable, Equatable, Codable {
    /// The adjuster for the time in which the intensity rises, 0...1.
    public var attackTime: Double
    /// The adjuster for the time in which the intensity falls again if the event is not
    /// ``sustained``, 0...1.
    public var decayTime: Double
    /// The adjuster for the time in which the intensity falls after the event's duration if the
    /// event is ``sustained``, 0...1.
    public var releaseTime: Double
    /// True if the event holds its level. True: attack, full level until the duration is over, then
    /// release. False: attack, then decay, after which the event is over; duration and release do
    /// not prolong it.
    public var sustained: Bool

    /// Makes an envelope. The default is a sustained event that starts and ends abruptly.
    ///
    /// `sustained` is true by default, following `CHHapticEventParameter.h`. The table in Apple's
    /// Unity plug-in differs, but the header takes precedence.
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

/// The durations that correspond to the adjusters of an ``Envelope``.
///
/// AHAP-doc says that larger values lengthen a phase *exponentially*, and that 1 is not one second;
/// the mapping itself is not public. Ours is `shortest * (longest / shortest) ^ adjuster`.
/// Adjusters of 0 and below give `none`.
public struct EnvelopeTiming: Sendable, Equatable {
    /// The duration for an adjuster of 0, in microseconds.
    public var none: Microseconds
    /// The duration for the smallest adjuster above 0, in microseconds. Must be above 0.
    public var shortest: Microseconds
    /// The duration for an adjuster of 1, in microseconds.
    public var longest: Microseconds

    /// Our choice of constants: T0 = 0, Tmin = 5 ms, Tmax = 1 s.
    ///
    /// A small actuator can follow about 5 ms, and 1 s is about the longest fade that is still
    /// perceived as part of one event. Real files hardly ever use ramps, so it matters more that
    /// the constants are fixed and documented.
    public static let standard = EnvelopeTiming(none: 0, shortest: 5_000, longest: 1_000_000)

    /// Makes a mapping with other constants.
    public init(none: Microseconds, shortest: Microseconds, longest: Microseconds) {
        self.none = none
        self.shortest = shortest
        self.longest = longest
    }

    /// Returns the duration of a phase in microseconds. The adjuster is limited to 0...1 first.
    public func duration(of adjuster: Double) -> Microseconds {
        guard adjuster > 0 else { return none }
        let ratio = Double(longest) / Double(shortest)
        return Microseconds((Double(shortest) * math_pow(ratio, min(adjuster, 1))).rounded())
    }
}
