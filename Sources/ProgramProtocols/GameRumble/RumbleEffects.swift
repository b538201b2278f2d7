// RumbleEffects: the effects of all games that use a gamepad, and their mix.

/// The effects that games have uploaded to a gamepad, without I/O.
///
/// Methods that depend on time receive the current time, in microseconds on any clock.
public struct RumbleEffects: Sendable {
    /// An effect that is playing: its start time, and its number of repetitions.
    private struct Play {
        var begin: Int64
        var count: Int
    }

    /// The maximum number of uploaded effects.
    public static let countMax = 16
    /// The time after which an effect ends if its game neither uploads nor starts it again, in
    /// microseconds.
    public static let holdTime: Int64 = 60_000_000

    private var effects: [Int: RumbleEffect] = [:]
    private var plays: [Int: Play] = [:]
    private var gain = 1.0

    /// Creates a gamepad without effects, whose gain is 1.
    public init() {}

    /// Adds an effect, or replaces the effect with the same number. An effect that plays begins again
    /// with its remaining repetitions, as in the kernel (`ml_ff_upload` in ff-memless.c).
    public mutating func upload(_ effect: RumbleEffect, at now: Int64) {
        end(at: now)
        if let play = plays[effect.id], let old = effects[effect.id] {
            let done = old.length.map { (now - play.begin) / (old.delay + $0) } ?? 0
            plays[effect.id] = Play(begin: now, count: play.count - Int(done))
        }
        effects[effect.id] = effect
    }

    /// Removes an effect. If the effect is playing, it ends.
    public mutating func erase(_ id: Int) {
        effects[id] = nil
        plays[id] = nil
    }

    /// Starts an effect, or stops it if the count is 0. Each start begins with the first repetition.
    public mutating func play(_ id: Int, count: Int, at now: Int64) {
        plays[id] = effects[id] != nil && count > 0 ? Play(begin: now, count: count) : nil
    }

    /// Sets the gain of all effects, 0...1.
    public mutating func setGain(_ gain: Double) { self.gain = gain }

    /// Removes all effects.
    public mutating func removeAll() { (effects, plays) = ([:], [:]) }

    /// Returns the mix of all effects that are playing at this time.
    public mutating func motors(at now: Int64) -> RumbleMotors {
        end(at: now)
        var motors = RumbleMotors()
        for (id, play) in plays {
            guard let effect = effects[id] else { continue }
            let time = effect.time(now - play.begin)
            if time >= 0 { motors.add(effect.motors(at: time), gain: gain) }
        }
        return motors
    }

    /// Returns the next time at which a repetition begins or ends; nil if nothing plays.
    public func nextChange(after now: Int64) -> Int64? {
        plays.compactMap { id, play in
            guard let effect = effects[id] else { return nil }
            let time = effect.time(now - play.begin)
            let next = time < 0 ? now - time : effect.length.map { now - time + $0 }
            return min(next ?? .max, play.begin + Self.holdTime)
        }.min()
    }

    /// Ends the effects whose repetitions are over, and those that have lasted too long.
    private mutating func end(at now: Int64) {
        plays = plays.filter { id, play in
            guard let effect = effects[id] else { return false }
            let end = effect.length.map { play.begin + Int64(play.count) * (effect.delay + $0) }
            return now < min(end ?? .max, play.begin + Self.holdTime)
        }
    }
}

extension RumbleEffect {
    /// Returns the time since the beginning of the current repetition, for a time since the start.
    /// A negative time means the pause before the repetition.
    fileprivate func time(_ elapsed: Int64) -> Int64 {
        (length.map { elapsed % (delay + $0) } ?? elapsed) - delay
    }
}
