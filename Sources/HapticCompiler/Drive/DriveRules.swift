// DriveRules: how a tap, or the start of a level, becomes pulses of drive.

import HapticPatterns

/// Constants of the rules. Lengths are in microseconds.
private enum Rule {
    /// Intensities whose ratio is above this feel alike: one just-noticeable difference.
    static let alike = 1 / (1 + Fidelity.levelWeber)
    /// The part of the distance to the next tap for which an actuator is driven at most.
    static let driven = 0.9
    /// The rise of a real LRA that is slower than its data sheet says.
    static let slowLRA = 1.15
    /// The longest time for which an LRA is driven to reach an intensity.
    static let longestLRA = 60_000.0
    /// The time by which the pulse of a tap of sharpness 0 is longer than that of sharpness 1.
    static let dullLRA = 10_000.0
    /// The time by which the pulse of a faint tap of sharpness 0 is longer on a motor.
    static let dullERM = 12_000.0
    /// The longest time for which an actuator is driven as strongly as possible.
    static let longestERM = 75_000.0
    /// The time by which a start for a level looks ahead, because the level may move.
    static let ahead: Microseconds = 7_000
    /// The part of its rise for which a motor is started for a level, which then takes over.
    static let started = 0.9
    /// The least intensity in a texture. A motor whose loop has less gain than the model's stands
    /// still at the drive that would hold a weaker one.
    static let leastHeld = 0.042
    /// The speed that counts as the rated one in a texture, where there is more time than in a tap.
    static let ratedInTexture = 0.983
    /// The least time for which a motor is driven as strongly as possible in a texture. What is
    /// shorter changes nothing, and is an event all the same.
    static let leastStroke = 1_000.0
    /// The time by which a motor has fallen to a weaker tap of a texture before that comes.
    static let fallen = 4_000.0
    /// The part of a level to which it is interrupted on an LRA.
    static let duckLRA = 0.75
    /// The part of a level to which it is interrupted on a motor, from faint to full: the stronger
    /// the level is, the more slowly the motor comes back to it.
    static let duckERM = (faint: 0.745, full: 0.795)
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
        if level >= StaticCurve.leastFelt, tap.intensity <= Fidelity.tapOverLevel * level {
            guard interrupt(level, by: moment), tap.intensity > level else { return }
            guard !isOvertaken(over: level) else { return lose(moment, .hidden) }
            model.advance(to: start + profile.tapSharp)
        }
        regulate(tap, before: next)
    }

    /// Drives a tap at the model's time.
    private mutating func regulate(_ tap: VoiceTap, before next: DriveMoment?) {
        let start = model.time
        let rise = min(plant.rise(from: model.state, to: tap.intensity), Rule.longestLRA)
        let shortest = max(Double(profile.tapSharp), timeUntilFelt(tap))
        var needed = max(rise * Rule.slowLRA, shortest)
        var length = needed + (1 - tap.sharpness) * Rule.dullLRA
        if let next, let other = next.tap, other.time >= tap.time {
            length = min(length, Double(next.time - start) * Rule.driven)
            if other.intensity < Rule.alike * tap.intensity {
                // The weaker tap must not wait for a slow actuator.
                needed = max(rise, timeUntilFelt(tap))
                length = max(length, needed)
            }
        }
        drive(
            tap, at: start, for: length, plant.level(holding: tap.intensity),
            .tap(
                intensity: tap.intensity, designed: tap.time, needed: start + Microseconds(needed)))
    }
}

/// The rules for an actuator that is driven as strongly as possible until it has its target.
extension DrivePlanner {
    mutating func planKicked(_ moment: DriveMoment, before next: DriveMoment?) {
        guard let tap = moment.tap else { return startLevel(moment, before: next) }
        guard let start = start(of: moment, tap) else { return }
        model.advance(to: start)
        if let texture = moment.texture, stroke(texture) { return }
        let level = model.level(at: start + Rule.ahead)
        let isLevelFelt =
            level >= StaticCurve.leastFelt && model.state >= Rule.turning * plant.state(for: level)
        var target = max(tap.intensity, level)
        if isLevelFelt, tap.intensity <= Fidelity.tapOverLevel * level {
            target = max(target, model.level(at: start))
            guard interrupt(level, by: moment) else { return }
            guard !isOvertaken(over: level) else { return lose(moment, .hidden) }
            model.advance(to: start + profile.tapSharp)
        }
        kick(to: target, tap, before: next)
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
        kick(to: ahead, tap, before: next, margin: Rule.started)
    }

    /// Drives a tap of a texture from the model's time until the next tap: the motor reaches the
    /// intensity, and has fallen to that of a weaker tap when its time comes.
    ///
    /// A tap that a level hides is not driven so: the first one of the texture is to be driven like a
    /// tap of its own, for which the result is false, and so is one that is felt over the level. Of
    /// the others nothing is driven.
    private mutating func stroke(_ texture: TextureTap) -> Bool {
        let (tap, start) = (texture.tap, model.time)
        let level = model.level(at: start)
        let floor = max(level, Rule.leastHeld)
        let target = plant.state(for: max(tap.intensity, floor))
        let next = plant.state(for: max(texture.next, floor))
        let rise = plant.rise(from: model.state, to: target, most: Rule.ratedInTexture)
        var room = Double(max(texture.end + lead.total - start, 1_000))
        if texture.isLast { room = max(room, min(rise, Rule.longestERM)) }
        guard model.level(at: start + Microseconds(room / 2)) < Rule.alike * tap.intensity else {
            return !texture.isFirst && tap.intensity <= Fidelity.tapOverLevel * level
        }
        let rising = rise < Rule.leastStroke ? 0 : min(rise, room)
        let reached = start + Microseconds(rising)
        let purpose = DrivePulse.Purpose.tap(
            intensity: tap.intensity, designed: tap.time, needed: reached)
        if rising > 0 {
            drive(tap, at: start, for: rising, plant.ratedLevel, purpose)
            model.advance(to: reached)
        }
        let rest = room - rising
        if rest > 0 {
            let fall = max(rest - Rule.fallen, rest / 2)
            let held = drive(reaching: min(target, next), in: fall)
            let overlap = texture.isLast ? 0 : Double(Self.overlap)
            drive(tap, at: reached, for: rest + overlap, held, purpose)
        }
        return true
    }

    /// Drives a tap at the model's time.
    private mutating func kick(
        to intensity: Double, _ tap: VoiceTap, before next: DriveMoment?, margin: Double = 1
    ) {
        let target = plant.state(for: intensity)
        let rise = plant.rise(from: model.state, to: target) * margin
        let quickest = min(rise, Rule.longestERM)
        let shortest = max(quickest, Double(profile.tapSharp), timeUntilFelt(tap))
        // A strong tap is long already.
        let dull = Rule.dullERM * (1 - 0.45 * intensity)
        let longest = max(shortest, min(shortest + dull, slowest(to: target)))
        var length = longest + tap.sharpness * (shortest - longest)
        if let next, let other = next.tap, other.time >= tap.time {
            length = min(length, Double(next.time - model.time) * Rule.driven)
            // A weaker tap waits until the motor has the speed.
            if other.intensity < Rule.alike * intensity { length = max(length, quickest) }
        }
        let level = length > quickest ? drive(reaching: target, in: length) : plant.ratedLevel
        let needed = model.time + Microseconds(min(length, shortest))
        drive(
            tap, at: model.time, for: length, level,
            .tap(intensity: intensity, designed: tap.time, needed: needed))
    }

    /// Returns the longest time in which a drive that surely starts the motor leads to a state.
    private func slowest(to goal: Double) -> Double {
        least(in: 0...100_000) {
            plant.state(after: $0, from: model.state, under: plant.startLevel) >= goal
        }
    }

    /// Returns the drive, 0...1, that leads from the present state to another one in a time.
    private func drive(reaching goal: Double, in length: Double) -> Double {
        least(in: 0...plant.ratedLevel) {
            plant.state(after: length, from: model.state, under: $0) >= goal
        }
    }

    /// Returns the least value of a range from which on a condition holds, within a thousandth of
    /// the range; its upper bound if there is none.
    private func least(in range: ClosedRange<Double>, _ holds: (Double) -> Bool) -> Double {
        var (low, high) = (range.lowerBound, range.upperBound)
        for _ in 0..<10 {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle }
        }
        return high
    }
}

/// The rules for actuators of every kind.
extension DrivePlanner {
    /// Returns the time at which a tap can be driven; nil if it is lost behind a stronger one.
    private mutating func start(of moment: DriveMoment, _ tap: VoiceTap) -> Microseconds? {
        guard let pulse = model.pulse else { return moment.time }
        guard case .tap(let intensity, let designed, let needed) = pulse.purpose else {
            // A tap that is felt over the level does not wait for the end of an interruption, and for
            // another weak one there is no further interruption soon.
            let isFelt = tap.intensity > Fidelity.tapOverLevel * model.level(at: moment.time)
            guard isFelt || moment.time >= pulse.end else {
                lose(moment, .hidden)
                return nil
            }
            return moment.time
        }
        guard moment.time < needed, tap.intensity < Rule.alike * intensity else {
            return max(moment.time, pulse.time)
        }
        guard tap.time >= designed, needed - moment.time <= Fidelity.onsetJND else {
            lose(moment, .joined)
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
    private mutating func interrupt(_ level: Double, by moment: DriveMoment) -> Bool {
        guard let tap = moment.tap else { return false }
        let start = model.time
        let isFree = lastInterruption.map { start - $0 >= Rule.betweenDucks } ?? true
        guard isFree, start >= (model.pulse?.end ?? 0) else {
            lose(moment, .hidden)
            return false
        }
        lastInterruption = start
        let length = Double(profile.tapSharp)
        let goal = interrupted(level)
        let target =
            plant.regulatesAmplitude
            ? plant.level(holding: goal) : drive(reaching: goal, in: length)
        drive(tap, at: start, for: length, target, .interruption)
        return true
    }

    /// Returns whether a tap that is felt over a level comes while the level is interrupted from the model's time on.
    private func isOvertaken(over level: Double) -> Bool {
        moments.prefix { $0.time < model.time + profile.tapSharp }
            .contains { ($0.tap?.intensity ?? 0) > Fidelity.tapOverLevel * level }
    }

    /// Returns the time from the interruption of a level until a tap is felt over it; 0 if the tap is
    /// felt without that.
    func interruption(of level: Double, by tap: VoiceTap) -> Microseconds {
        guard tap.intensity <= Fidelity.tapOverLevel * level else { return 0 }
        let target = plant.state(for: max(tap.intensity, level))
        let rise = plant.rise(from: interrupted(level), to: target)
        return profile.tapSharp + Microseconds(min(rise, Rule.longestERM))
    }

    /// Returns the state to which a level is interrupted.
    private func interrupted(_ level: Double) -> Double {
        let (faint, full) = Rule.duckERM
        let part = plant.regulatesAmplitude ? Rule.duckLRA : faint + (full - faint) * level
        return plant.state(for: level * part)
    }
}
