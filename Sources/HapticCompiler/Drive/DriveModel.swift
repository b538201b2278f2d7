// DriveModel: the state of an actuator while a plan is made.

import HapticPatterns

/// An actuator that follows the plan as far as it has been made.
struct DriveModel: Sendable {
    let plant: Plant
    /// The amplitude or the speed at ``time``, 1 at the rated voltage.
    private(set) var state = 0.0
    /// The time of the state, in microseconds from the start of the stream.
    private(set) var time: Microseconds = 0
    /// The newest pulse, which may be over.
    private(set) var pulse: DrivePulse?
    /// The intensities that are to be felt between the pulses, from ``time`` on.
    private var levels: ArraySlice<MixedPiece> = []

    /// The length of the steps in which the model follows a level that moves, in microseconds.
    private static let step: Microseconds = 2_000

    /// Makes the model of an actuator whose state is known at time 0.
    init(plant: Plant, _ initial: DriveState) {
        self.plant = plant
        state = initial.amplitude
        pulse = initial.pulse
    }

    /// Adds a piece that follows the last one.
    mutating func append(_ piece: MixedPiece) {
        if let last = levels.last, last.end == piece.start, last.level == piece.level {
            levels[levels.endIndex - 1].end = piece.end
        } else {
            levels.append(piece)
        }
    }

    /// Plays a pulse, which replaces the present one from its own start on.
    mutating func play(_ pulse: DrivePulse) { self.pulse = pulse }

    /// Moves on to a time, up to which the plan is complete. An earlier time changes nothing.
    mutating func advance(to target: Microseconds) {
        while time < target {
            let (drive, end) = stretch(until: target)
            state = plant.state(after: Double(end - time), from: state, under: drive)
            time = end
        }
        levels = levels.drop { $0.end <= time }
    }

    /// Returns the designed intensity of the level at a time that is not before ``time``.
    func level(at time: Microseconds) -> Double {
        levels.first { time < $0.end }.map { max(0, $0.level.value(at: time)) } ?? 0
    }

    /// Returns the drive at the present time, and the time until which it holds.
    private mutating func stretch(until target: Microseconds) -> (Double, Microseconds) {
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
