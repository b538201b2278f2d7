// DriveModel: the state of an actuator that is simulated while its drive is planned.

import HapticPatterns

/// A simulated actuator that is driven by the existing part of the plan.
struct DriveModel: Sendable {
    let plant: Plant
    /// The amplitude or the speed at ``time``, where 1 is the value at the rated voltage.
    private(set) var state = 0.0
    /// The time of the state, in microseconds from the start of the stream.
    private(set) var time: Microseconds = 0
    /// The latest pulse, which may already have ended.
    private(set) var pulse: DrivePulse?
    /// The designed intensities between the pulses, starting at ``time``.
    private var levels: ArraySlice<MixedPiece> = []

    /// The simulation step while the level is changing, in microseconds.
    private static let step: Microseconds = 2_000

    /// Creates a model of an actuator whose state at time 0 is given.
    init(plant: Plant, _ initial: DriveState) {
        self.plant = plant
        state = initial.amplitude
        pulse = initial.pulse
    }

    /// Adds a piece, which must follow the previous piece without a gap.
    mutating func append(_ piece: MixedPiece) {
        if let last = levels.last, last.end == piece.start, last.level == piece.level {
            levels[levels.endIndex - 1].end = piece.end
        } else {
            levels.append(piece)
        }
    }

    /// Plays a pulse. From its start on, the new pulse replaces the current pulse.
    mutating func play(_ pulse: DrivePulse) { self.pulse = pulse }

    /// Simulates the actuator up to the given time. The plan must be complete up to that time. A
    /// time before ``time`` has no effect.
    mutating func advance(to target: Microseconds) {
        while time < target {
            let (drive, end) = constantDrive(until: target)
            state = plant.state(after: Double(end - time), from: state, under: drive)
            time = end
        }
        levels = levels.drop { $0.end <= time }
    }

    /// Returns the designed intensity of the level at the given time, which must not be before
    /// ``time``.
    func level(at time: Microseconds) -> Double {
        levels.first { time < $0.end }.map { max(0, $0.level.value(at: time)) } ?? 0
    }

    /// Returns the drive at ``time``, and the time until which this drive is constant.
    private mutating func constantDrive(until target: Microseconds) -> (Double, Microseconds) {
        if let pulse, pulse.time <= time, time < pulse.end {
            return (pulse.level, min(target, pulse.end))
        }
        levels = levels.drop { $0.end <= time }
        guard let piece = levels.first else { return (0, target) }
        var end = min(target, piece.end)
        if let pulse, pulse.time > time { end = min(end, pulse.time) }
        let curve = StaticCurve(plant: plant)
        guard !piece.level.isConstant else {
            return (curve.level(for: piece.level.startValue), end)
        }
        end = min(end, time + Self.step)
        return (curve.level(for: piece.level.value(at: time + (end - time) / 2)), end)
    }
}
