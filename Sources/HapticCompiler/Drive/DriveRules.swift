// DriveRules: the rules that convert a tap or the start of a level to pulses of drive.

import HapticPatterns

/// The constants of the rules. Lengths are in microseconds.
private enum Rule {
    /// The ratio of the weaker to the stronger of two intensities above which the difference cannot
    /// be felt: one just-noticeable difference.
    static let alike = 1 / (1 + Fidelity.levelWeber)
    /// The maximum length of a pulse, as a fraction of the time until the next tap.
    static let driven = 0.9
    /// The factor by which a slow LRA rises more slowly than its data sheet states.
    static let slowLRA = 1.15
    /// The difference between the pulse lengths of taps with sharpness 0 and sharpness 1 on an LRA.
    static let dullLRA = 10_000.0
    /// The difference between the pulse lengths of faint taps with sharpness 0 and sharpness 1 on a
    /// motor.
    static let dullERM = 12_000.0
    /// The time after the start of a motor's pulse at which the planner examines the level in order
    /// to plan the pulse, because the level may change.
    static let ahead: Microseconds = 7_000
    /// The fraction of the rise time for which a motor is driven by a start pulse. After the start
    /// pulse, the level itself drives the motor.
    static let started = 0.9
    /// The minimum intensity within a texture. At a weaker intensity, a motor might stop if its
    /// loop gain is lower than in the model.
    static let leastHeld = 0.042
    /// The minimum time for which a motor is driven at full level within a texture. A shorter pulse
    /// would have no effect, but would still require an event.
    static let leastStroke = 1_000.0
    /// The interval between the time at which the motor has fallen to the intensity of a weaker tap
    /// and the time at which that tap is due.
    static let fallen = 4_000.0
    /// The fraction of a level to which an LRA falls while the level is interrupted.
    static let duckLRA = 0.75
    /// The fraction of a level to which a motor falls while the level is interrupted, for a faint
    /// level and for the full level. The fraction is higher for stronger levels, because the motor
    /// takes longer to return to them.
    static let duckERM = (faint: 0.745, full: 0.795)
    /// The minimum interval between two interruptions.
    static let betweenDucks: Microseconds = 60_000
    /// The minimum fraction of a level's speed at which a motor needs no start pulse.
    static let turning = 0.8
}

/// Rules for an actuator whose driver regulates the amplitude. The drive is the amplitude to be
/// reached.
extension DrivePlanner {
    mutating func planRegulated(_ moment: DriveMoment, before next: DriveMoment?) {
        guard let tap = moment.tap, let start = start(of: moment, tap) else { return }
        model.advance(to: start)
        let level = model.level(at: start)
        if level >= StaticCurve.leastFelt, tap.intensity <= Fidelity.tapOverLevel * level {
            guard interrupt(level, by: moment), tap.intensity > level else { return }
            guard !isOvertaken(over: level) else { return recordLoss(of: moment, .hidden) }
            model.advance(to: start + profile.tapSharp)
        }
        regulate(tap, before: next)
    }

    /// Plans the pulse of a tap at the current time of the model.
    private mutating func regulate(_ tap: VoiceTap, before next: DriveMoment?) {
        let start = model.time
        let rise = plant.rise(from: model.state, to: tap.intensity)
        let shortest = max(Double(profile.tapSharp), timeUntilFelt(tap))
        var needed = max(rise * Rule.slowLRA, shortest)
        var length = needed + (1 - tap.sharpness) * Rule.dullLRA
        if let next, let other = next.tap, other.time >= tap.time {
            length = min(length, Double(next.time - start) * Rule.driven)
            if other.intensity < Rule.alike * tap.intensity {
                // A weaker tap must not have to wait only because the actuator is slow.
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

/// Rules for an actuator that is driven at full level until it reaches its target.
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
            guard !isOvertaken(over: level) else { return recordLoss(of: moment, .hidden) }
            model.advance(to: start + profile.tapSharp)
        }
        kick(to: target, tap, before: next)
    }

    /// Starts a motor for a level, unless the motor is already turning or a tap starts it.
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

    /// Plans the pulses of a tap in a texture, from the current time of the model until the next
    /// tap. The motor reaches the intensity of the tap. If the next tap is weaker, the motor falls
    /// to its intensity before that tap is due.
    ///
    /// If a level hides the tap, this method plans no pulse. The result is then false if the tap is
    /// the first of the texture or can be felt over the level: the caller must drive such a tap
    /// like a separate tap. The result is true for all other hidden taps, which are not driven.
    private mutating func stroke(_ texture: TextureTap) -> Bool {
        let (tap, start) = (texture.tap, model.time)
        let level = model.level(at: start)
        let floor = max(level, Rule.leastHeld)
        let target = plant.state(for: max(tap.intensity, floor))
        let next = plant.state(for: max(texture.next, floor))
        let rise = plant.rise(from: model.state, to: target)
        var room = Double(max(texture.end + lead.total - start, 1_000))
        if texture.isLast { room = max(room, rise) }
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

    /// Plans the pulse of a tap at the current time of the model.
    private mutating func kick(
        to intensity: Double, _ tap: VoiceTap, before next: DriveMoment?, margin: Double = 1
    ) {
        let target = plant.state(for: intensity)
        let quickest = plant.rise(from: model.state, to: target) * margin
        let shortest = max(quickest, Double(profile.tapSharp), timeUntilFelt(tap))
        // The pulses of strong taps are already long, so they are lengthened less.
        let dull = Rule.dullERM * (1 - 0.45 * intensity)
        let longest = max(shortest, min(shortest + dull, slowest(to: target)))
        var length = longest + tap.sharpness * (shortest - longest)
        if let next, let other = next.tap, other.time >= tap.time {
            length = min(length, Double(next.time - model.time) * Rule.driven)
            // A weaker tap must wait until the motor has reached the speed of this tap.
            if other.intensity < Rule.alike * intensity { length = max(length, quickest) }
        }
        let level = length > quickest ? drive(reaching: target, in: length) : plant.ratedLevel
        let needed = model.time + Microseconds(min(length, shortest))
        drive(
            tap, at: model.time, for: length, level,
            .tap(intensity: intensity, designed: tap.time, needed: needed))
    }

    /// Returns the time that a motor takes to reach a state if it is driven with the weakest drive
    /// that starts it reliably.
    private func slowest(to goal: Double) -> Double {
        least(in: 0...100_000) {
            plant.state(after: $0, from: model.state, under: plant.startLevel) >= goal
        }
    }

    /// Returns the drive, 0...1, that brings the actuator to a state within the given time.
    private func drive(reaching goal: Double, in length: Double) -> Double {
        least(in: 0...plant.ratedLevel) {
            plant.state(after: length, from: model.state, under: $0) >= goal
        }
    }

    /// Returns the lowest value, within a range, above which a condition is true. The accuracy is a
    /// thousandth of the range. Returns the upper bound if the condition is never true.
    private func least(in range: ClosedRange<Double>, _ holds: (Double) -> Bool) -> Double {
        var (low, high) = (range.lowerBound, range.upperBound)
        for _ in 0..<10 {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle }
        }
        return high
    }
}

/// The rules for all kinds of actuators.
extension DrivePlanner {
    /// Returns the time at which a tap can be driven. If a previous pulse hides the tap, records
    /// the loss of the tap and returns nil.
    private mutating func start(of moment: DriveMoment, _ tap: VoiceTap) -> Microseconds? {
        guard let pulse = model.pulse else { return moment.time }
        guard case .tap(let intensity, let designed, let needed) = pulse.purpose else {
            // A tap that can be felt over the level need not wait for the end of an interruption. A
            // weaker tap would require another interruption, which is not possible so soon.
            let isFelt = tap.intensity > Fidelity.tapOverLevel * model.level(at: moment.time)
            guard isFelt || moment.time >= pulse.end else {
                recordLoss(of: moment, .hidden)
                return nil
            }
            return moment.time
        }
        guard moment.time < needed, tap.intensity < Rule.alike * intensity else {
            return max(moment.time, pulse.time)
        }
        guard tap.time >= designed, needed - moment.time <= Fidelity.onsetJND else {
            recordLoss(of: moment, .joined)
            return nil
        }
        return needed
    }

    /// Returns the time from the current time of the model until an aligned tap must be felt, in
    /// microseconds; 0 without alignment. A pulse must last at least this long. If the actuator is
    /// already moving, the pulse might otherwise end too early.
    private func timeUntilFelt(_ tap: VoiceTap) -> Double {
        lead.total > 0 ? Double(tap.time + lead.total - model.time) : 0
    }

    /// Interrupts a level in favor of a tap that cannot be felt over the level. If no interruption
    /// is possible, records that the tap is hidden and returns false.
    private mutating func interrupt(_ level: Double, by moment: DriveMoment) -> Bool {
        guard let tap = moment.tap else { return false }
        let start = model.time
        let isFree = lastInterruption.map { start - $0 >= Rule.betweenDucks } ?? true
        guard isFree, start >= (model.pulse?.end ?? 0) else {
            recordLoss(of: moment, .hidden)
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

    /// Returns whether a tap that can be felt over a level begins during an interruption that
    /// starts at the current time of the model.
    private func isOvertaken(over level: Double) -> Bool {
        moments.prefix { $0.time < model.time + profile.tapSharp }
            .contains { ($0.tap?.intensity ?? 0) > Fidelity.tapOverLevel * level }
    }

    /// Returns the time from the start of an interruption until the tap can be felt; 0 if the tap
    /// can be felt without an interruption.
    func interruption(of level: Double, by tap: VoiceTap) -> Microseconds {
        guard tap.intensity <= Fidelity.tapOverLevel * level else { return 0 }
        let target = plant.state(for: max(tap.intensity, level))
        let rise = plant.rise(from: interrupted(level), to: target)
        return profile.tapSharp + Microseconds(rise)
    }

    /// Returns the state to which the actuator falls while a level is interrupted.
    private func interrupted(_ level: Double) -> Double {
        let (faint, full) = Rule.duckERM
        let part = plant.regulatesAmplitude ? Rule.duckLRA : faint + (full - faint) * level
        return plant.state(for: level * part)
    }
}
