// RumbleEnvelope: the attack and the fade of an effect.

/// The attack and the fade of an effect: the kernel's `struct ff_envelope`. Times are in microseconds.
struct RumbleEnvelope: Equatable, Sendable {
    let attackLength: Int64
    let attackLevel: Double
    let fadeLength: Int64
    let fadeLevel: Double

    /// Returns the level at a time since the beginning of a repetition, as the kernel computes it
    /// (`apply_envelope` in ff-memless.c).
    ///
    /// - Parameters:
    ///   - level: the level without the envelope.
    ///   - length: the length of the effect; nil if the effect has no end and therefore no fade.
    func level(_ level: Double, at time: Int64, of length: Int64?) -> Double {
        if time < attackLength {
            return attackLevel + (level - attackLevel) * Double(time) / Double(attackLength)
        }
        guard let length, time > length - fadeLength else { return level }
        return fadeLevel + (level - fadeLevel) * Double(length - time) / Double(fadeLength)
    }
}
