// Envelope: the envelope of a continuous event, and the conversion of its settings to durations.

import CMath

/// The shape of a continuous event over time.
///
/// The attack, decay and release times are not in seconds. These times are *adjusters* from 0
/// (shortest) to 1 (longest) (AHAP-doc). ``EnvelopeTiming`` converts the adjusters to durations.
public struct Envelope: Sendable, Equatable, Codable {
    /// The adjuster of the rise time of the intensity, 0...1.
    public var attackTime: Double
    /// The adjuster of the fall time of the intensity after the attack, 0...1. This adjuster has an
    /// effect only if the event is not ``sustained``.
    public var decayTime: Double
    /// The adjuster of the fall time of the intensity at the end of the event's duration, 0...1.
    /// This adjuster has an effect only if the event is ``sustained``.
    public var releaseTime: Double
    /// True if the event holds its level. A sustained event consists of the attack, the full level
    /// until the end of the duration, and the release. An event that is not sustained consists of
    /// the attack and the decay; its duration and its release have no effect.
    public var sustained: Bool

    /// Creates an envelope. By default, the event is sustained, and starts and ends abruptly.
    ///
    /// `sustained` is true by default, as documented in `CHHapticEventParameter.h`. The table in
    /// Apple's Unity plug-in has a different default, but the header takes precedence.
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

/// The conversion of the adjusters of an ``Envelope`` to durations.
///
/// According to AHAP-doc, larger adjusters lengthen a phase *exponentially*, and an adjuster of 1
/// does not correspond to one second. Apple has not published the formula. This project uses
/// `shortest * (longest / shortest) ^ adjuster`, and the duration `none` for adjusters that are 0
/// or below.
public struct EnvelopeTiming: Sendable, Equatable {
    /// The duration for adjusters that are 0 or below, in microseconds.
    public var none: Microseconds
    /// The duration for the smallest adjuster above 0, in microseconds. This duration must be
    /// above 0.
    public var shortest: Microseconds
    /// The duration for an adjuster of 1, in microseconds.
    public var longest: Microseconds

    /// The constants of this project: 0, 5 ms and 1 s.
    ///
    /// A small actuator can reproduce a ramp of about 5 ms, and a fade of about 1 s is the longest
    /// that is perceived as part of one event. Real files rarely contain ramps. The values of the
    /// constants are therefore less important than the fact that they are fixed and documented.
    public static let standard = EnvelopeTiming(none: 0, shortest: 5_000, longest: 1_000_000)

    /// Creates a conversion that uses other constants.
    public init(none: Microseconds, shortest: Microseconds, longest: Microseconds) {
        self.none = none
        self.shortest = shortest
        self.longest = longest
    }

    /// Returns the duration of a phase in microseconds, after limiting the adjuster to 0...1.
    public func duration(of adjuster: Double) -> Microseconds {
        guard adjuster > 0 else { return none }
        let ratio = Double(longest) / Double(shortest)
        return Microseconds((Double(shortest) * math_pow(ratio, min(adjuster, 1))).rounded())
    }
}
