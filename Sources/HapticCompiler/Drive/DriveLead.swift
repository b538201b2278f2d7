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
        ofLevels = total - ticks(toRiseTo: Self.typicalLevel)
    }

    /// The longest rise that is waited for, in microseconds.
    private static let longest: Microseconds = 100_000

    /// Returns the time by which the start of a level comes before the level, in microseconds: a
    /// strong level takes longer to rise than a typical one.
    func beforeLevel(of intensity: Double, _ plant: Plant) -> Microseconds {
        guard total > 0 else { return 0 }
        let rise = plant.rise(from: 0, to: plant.state(for: intensity))
        return max(0, Microseconds(min(Double(total), rise)) - (total - ofLevels))
    }

    /// Returns the delay of a tap.
    func of(_ tap: VoiceTap, _ plant: Plant) -> Microseconds {
        guard total > 0 else { return 0 }
        let rise = plant.rise(from: 0, to: plant.state(for: tap.intensity))
        return total - Microseconds(min(Double(total), rise))
    }
}
