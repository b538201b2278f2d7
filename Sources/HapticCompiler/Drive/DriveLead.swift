// DriveLead: the delays that make all events felt at their times.

import HapticPatterns

/// The delays of the taps and levels in a drive plan. The delays are chosen so that all events are
/// felt with the same delay relative to their times in the pattern. Without alignment, all delays
/// are 0, and each drive begins at the time of its event.
struct DriveLead: Sendable {
    /// The delay between the time of an event in the pattern and the time at which it is felt, in
    /// microseconds. This delay is the time that the actuator takes to rise to nearly full
    /// intensity, or 0 without alignment.
    let total: Microseconds
    /// The delay of levels, in microseconds.
    let ofLevels: Microseconds

    /// The intensity whose rise time determines the delay of all levels.
    private static let typicalLevel = 0.35
    /// The maximum intensity for which the rise time is compensated.
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

    /// The maximum rise time that is compensated, in microseconds. A tap with a longer rise starts
    /// to be felt at its time, but reaches its intensity later.
    private static let longest: Microseconds = 44_000
    /// The maximum total time for rising to the first tap of a texture and falling after it, in
    /// microseconds.
    private static let longestToTexture = 75_000.0
    /// The maximum interval between two taps that are considered close, in microseconds.
    private static let close: Microseconds = 15_000
    /// The time by which a tap that closely follows a stronger tap reaches its intensity too early,
    /// in microseconds. This margin ensures that the stronger tap is no longer felt at the time of
    /// the weaker tap.
    private static let margin: Microseconds = 4_000

    /// Returns the time by which a motor must be started before a level begins, in microseconds.
    /// The time is above 0 for levels to which the motor rises more slowly than to the typical
    /// level.
    func beforeLevel(of intensity: Double, _ plant: Plant) -> Microseconds {
        guard total > 0 else { return 0 }
        return max(0, rise(to: intensity, from: 0, plant) - (total - ofLevels))
    }

    /// Returns the delay of a tap that follows another tap. If the other tap is close and stronger,
    /// the actuator falls to the intensity of the tap instead of rising to it.
    func of(_ tap: VoiceTap, after last: VoiceTap?, _ plant: Plant) -> Microseconds {
        guard total > 0, plant.regulatesAmplitude, let last, last.intensity > tap.intensity,
            tap.time - last.time < Self.close
        else { return of(tap, plant) }
        let fall = plant.fall(from: last.intensity, to: tap.intensity)
        return max(0, total - Microseconds(fall) - Self.margin)
    }

    /// Returns the delay of a tap to which the actuator rises from the given state.
    func of(_ tap: VoiceTap, from state: Double = 0, _ plant: Plant) -> Microseconds {
        guard total > 0 else { return 0 }
        return total - rise(to: tap.intensity, from: state, plant)
    }

    /// Returns the delay of a tap in a texture. Before the next tap is due, the motor must reach
    /// the intensity of the first tap and, if the next tap is weaker, fall to its intensity. The
    /// drive of the first tap therefore begins early enough, if necessary even before the time of
    /// that tap.
    func of(_ texture: TextureTap, _ plant: Plant) -> Microseconds {
        guard total > 0, texture.isFirst else { return total }
        let tap = texture.tap
        let (peak, next) = (plant.state(for: tap.intensity), plant.state(for: texture.next))
        let needed = plant.rise(from: 0, to: peak) + plant.fall(from: peak, to: next)
        let latest = texture.end + total - Microseconds(min(needed, Self.longestToTexture))
        return max(min(of(tap, plant), latest - tap.time), -tap.time)
    }

    /// Returns the time that the actuator takes to rise from a state to an intensity. The result is
    /// limited to ``total``.
    private func rise(
        to intensity: Double, from state: Double, _ plant: Plant
    ) -> Microseconds {
        let rise = plant.rise(from: state, to: plant.state(for: intensity))
        return Microseconds(min(Double(total), rise))
    }
}
