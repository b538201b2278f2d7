// DriveRules: how a tap, or the start of a level, becomes pulses of drive.

import HapticPatterns

/// Constants of the rules. Lengths are in microseconds.
private enum Rule {
    /// Intensities whose ratio is above this feel alike: one just-noticeable difference.
    static let alike = 1 / (1 + Fidelity.levelWeber)
    /// A tap that is stronger than a level by this factor is felt without an interruption.
    static let overshoot = 1.27
    /// The part of the distance to the next tap for which an actuator is driven at most.
    static let driven = 0.9
    /// The rise of a real actuator that is slower than its data sheet says.
    static let slowLRA = 1.15
    static let slowERM = 1.0
    /// The time by which the pulse of a tap of sharpness 0 is longer than that of sharpness 1.
    static let dullLRA = 10_000.0
    /// The longest time for which an LRA is driven to reach an intensity.
    static let longestLRA = 60_000.0
    static let dullERM = 14_000.0
    /// The longest time for which a motor is driven as strongly as possible.
    static let longestERM = 75_000.0
    /// The part of a level to which it is interrupted.
    static let duckLRA = 0.75
    static let duckERM = 0.76
    /// The least time between two interruptions.
    static let betweenDucks: Microseconds = 60_000
    /// A motor that turns at this part of the speed of a level needs no start.
    static let turning = 0.8
}

/// The rules for an actuator whose driver regulates the amplitude: the drive is the target.
extension DrivePlanner {
    mutating func planRegulated(_ moment: DriveMoment, before next: DriveMoment?) {
        guard let tap = moment.tap, let start = start(of: moment, tap) else { return }
        model.advance(to: start)
        let level = model.level(at: start)
        guard level < StaticCurve.leastFelt || tap.intensity > Rule.overshoot * level else {
            guard interrupt(level, by: tap, before: next) else { return }
            if tap.intensity > level { regulate(tap, before: next) }
            return
        }
        regulate(tap, before: next)
    }

    /// Drives a tap at the model's time.
    private mutating func regulate(_ tap: VoiceTap, before next: DriveMoment?) {
        let start = model.time
        let rise = plant.rise(from: model.state, to: tap.intensity) * Rule.slowLRA
        let shortest = max(Double(profile.tapSharp), timeUntilFelt(tap))
        let needed = max(min(rise, Rule.longestLRA), shortest)
        var length = needed + (1 - tap.sharpness) * Rule.dullLRA
        if let next, let other = next.tap {
            let most = Double(next.time - start) * Rule.driven
            let isWeaker = other.intensity < Rule.alike * tap.intensity
            length = max(min(length, most), isWeaker ? needed : 0)
        }
        drive(
            tap, at: start, for: length, plant.level(holding: tap.intensity),
            .tap(intensity: tap.intensity, needed: start + Microseconds(needed)))
    }
}

/// The rules for an actuator that is driven as strongly as possible until it has its target.
extension DrivePlanner {
    mutating func planKicked(_ moment: DriveMoment, before next: DriveMoment?) {
        guard let tap = moment.tap else { return startLevel(moment, before: next) }
        guard let start = start(of: moment, tap) else { return }
        model.advance(to: start)
        let level = model.level(at: start + 10_000)
        let isLevelFelt =
            level >= StaticCurve.leastFelt && model.state >= Rule.turning * plant.state(for: level)
        if isLevelFelt, tap.intensity <= Rule.overshoot * level {
            guard interrupt(level, by: tap, before: next) else { return }
        }
        kick(to: max(tap.intensity, level), tap, before: next)
    }

    /// Starts a motor for a level unless it turns already or a tap starts it.
    private mutating func startLevel(_ moment: DriveMoment, before next: DriveMoment?) {
        let time = moment.time
        if let pulse = model.pulse, pulse.end > time { return }
        if let next, next.tap != nil, next.time - time < 15_000 { return }
        model.advance(to: time)
        let ahead = [5_000, 15_000, 25_000].map { model.level(at: moment.levelStart + $0) }
            .sorted()[1]
        let target = plant.state(for: ahead)
        guard model.state < Rule.turning * target else { return }
        let tap = VoiceTap(time: time, intensity: ahead, base: ahead, sharpness: 1, source: 0)
        kick(to: ahead, tap, before: next, margin: 0.9)
    }

    /// Drives a tap at the model's time.
    private mutating func kick(
        to intensity: Double, _ tap: VoiceTap, before next: DriveMoment?,
        margin: Double = Rule.slowERM
    ) {
        let target = plant.state(for: intensity)
        let rise = plant.rise(from: model.state, to: target) * margin
        let quickest = min(rise, Rule.longestERM)
        let shortest = max(Double(profile.tapSharp), timeUntilFelt(tap))
        let goal =
            quickest >= shortest
            ? plant.state(after: quickest, from: model.state, under: plant.ratedLevel) : target
        // A strong tap is long already.
        let dull = (1 - tap.sharpness) * Rule.dullERM * (1 - intensity / 2)
        var length = max(quickest, shortest) + dull
        if let next, next.tap != nil {
            length = min(length, Double(next.time - model.time) * Rule.driven)
        }
        let level = length > quickest ? drive(reaching: goal, in: length) : plant.ratedLevel
        let needed = model.time + Microseconds(min(length, max(quickest, shortest)))
        drive(tap, at: model.time, for: length, level, .tap(intensity: intensity, needed: needed))
    }

    /// Returns the drive, 0...1, that leads from the present state to another one in a time.
    private func drive(reaching goal: Double, in length: Double) -> Double {
        var (low, high) = (0.0, plant.ratedLevel)
        for _ in 0..<10 {
            let middle = (low + high) / 2
            if plant.state(after: length, from: model.state, under: middle) < goal {
                low = middle
            } else {
                high = middle
            }
        }
        return high
    }
}

/// What both have in common.
extension DrivePlanner {
    /// Returns the time at which a tap can be driven; nil if it is lost behind a stronger one.
    private mutating func start(of moment: DriveMoment, _ tap: VoiceTap) -> Microseconds? {
        guard let pulse = model.pulse else { return moment.time }
        guard case .tap(let intensity, let needed) = pulse.purpose else {
            return max(moment.time, pulse.end)
        }
        guard moment.time < needed, tap.intensity < Rule.alike * intensity else {
            return max(moment.time, pulse.time)
        }
        guard needed - moment.time <= Fidelity.onsetJND else {
            lose(tap, .joined)
            return nil
        }
        return needed
    }

    /// Returns the time from the model's until an aligned tap is to be felt, in microseconds: what
    /// begins earlier because the actuator has to rise must not be over when it moves already.
    private func timeUntilFelt(_ tap: VoiceTap) -> Double {
        lead.total > 0 ? Double(tap.time + lead.total - model.time) : 0
    }

    /// Interrupts a level for a tap that is not felt over it. Returns false, and does nothing, if
    /// there is no room for that.
    private mutating func interrupt(
        _ level: Double, by tap: VoiceTap, before next: DriveMoment?
    ) -> Bool {
        let start = model.time
        let isFree = lastInterruption.map { start - $0 >= Rule.betweenDucks } ?? true
        guard isFree, start >= (model.pulse?.end ?? 0) else {
            lose(tap, .hidden)
            return false
        }
        lastInterruption = start
        let length = Double(profile.tapSharp)
        let isRegulated = plant.regulatesAmplitude
        let goal = plant.state(for: level * (isRegulated ? Rule.duckLRA : Rule.duckERM))
        let target = isRegulated ? plant.level(holding: goal) : drive(reaching: goal, in: length)
        drive(tap, at: start, for: length, target, .interruption)
        model.advance(to: start + profile.tapSharp)
        return true
    }
}
