// DriveLead: how much earlier the drive begins than what is felt.

import HapticPatterns

/// The delays with which the parts of a plan are driven, so that what is felt comes at one common
/// time after what was designed. Without alignment there are none: each drive begins at the time of
/// its event.
struct DriveLead: Sendable {
    /// The time by which everything is felt later than in the pattern, in microseconds: the time
    /// in which the actuator rises to nearly full intensity. 0 without alignment.
    let total: Microseconds
    /// The delay of levels, in microseconds.
    let ofLevels: Microseconds

    /// The intensity whose rise stands for that of levels.
    private static let typicalLevel = 0.35
    /// The greatest intensity whose rise is waited for.
    private static let greatest = 0.97

    init(_ plant: Plant, isAligned: Bool) {
        guard isAligned else {
            (total, ofLevels) = (0, 0)
            return
        }
        func ticks(toRiseTo intensity: Double) -> Microseconds {
            let rise = plant.rise(from: 0, to: plant.state(for: intensity))
            let longest = Double(Self.longest)
            return StreamTime.time(of: StreamTime.nearestTick(to: Microseconds(min(rise, longest))))
        }
        total = ticks(toRiseTo: Self.greatest)
        ofLevels = max(0, total - ticks(toRiseTo: Self.typicalLevel))
    }

    /// The longest rise that is waited for, in microseconds: a tap that takes longer is felt from
    /// its time on and reaches its intensity later.
    private static let longest: Microseconds = 44_000
    /// The longest time for the rise to the first tap of a texture and the fall from it, in
    /// microseconds.
    private static let longestToTexture = 75_000.0
    /// The distance below which a tap is close behind another one, in microseconds.
    private static let close: Microseconds = 15_000
    /// The time by which the intensity of a tap close behind a stronger one is reached too early, in
    /// microseconds, so that nothing stronger is felt at its time.
    private static let margin: Microseconds = 4_000

    /// Returns the time by which the start of a level comes before the level, in microseconds: a
    /// strong level takes longer to rise than a typical one.
    func beforeLevel(of intensity: Double, _ plant: Plant) -> Microseconds {
        guard total > 0 else { return 0 }
        return max(0, rise(to: intensity, from: 0, plant) - (total - ofLevels))
    }

    /// Returns the delay of a tap behind another one. If that is stronger and close, the actuator
    /// falls to the intensity, and does not rise to it.
    func of(_ tap: VoiceTap, after last: VoiceTap?, _ plant: Plant) -> Microseconds {
        guard total > 0, plant.regulatesAmplitude, let last, last.intensity > tap.intensity,
            tap.time - last.time < Self.close
        else { return of(tap, plant) }
        let fall = plant.fall(from: last.intensity, to: tap.intensity)
        return max(0, total - Microseconds(fall) - Self.margin)
    }

    /// Returns the delay of a tap for which the actuator rises from a state.
    func of(_ tap: VoiceTap, from state: Double = 0, _ plant: Plant) -> Microseconds {
        guard total > 0 else { return 0 }
        return total - rise(to: tap.intensity, from: state, plant)
    }

    /// Returns the delay of a tap of a texture. The first one begins so early that it is reached, and
    /// the motor has fallen to a weaker next one, before that comes, even if that is before the
    /// tap's own time.
    func of(_ texture: TextureTap, _ plant: Plant) -> Microseconds {
        guard total > 0, texture.isFirst else { return total }
        let tap = texture.tap
        let (peak, next) = (plant.state(for: tap.intensity), plant.state(for: texture.next))
        let needed = plant.rise(from: 0, to: peak) + plant.fall(from: peak, to: next)
        let latest = texture.end + total - Microseconds(min(needed, Self.longestToTexture))
        return max(min(of(tap, plant), latest - tap.time), -tap.time)
    }

    /// Returns the time in which the actuator rises to an intensity, at most ``total``.
    private func rise(
        to intensity: Double, from state: Double, _ plant: Plant
    ) -> Microseconds {
        let rise = plant.rise(from: state, to: plant.state(for: intensity))
        return Microseconds(min(Double(total), rise))
    }
}
