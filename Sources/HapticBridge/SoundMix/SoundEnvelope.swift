// SoundEnvelope: the loudness of an audio event over time.

import HapticPatterns

/// The loudness of an audio event over time, as determined by its attack, decay and release. The
/// rules are the same as for continuous haptic events. Times are in the pattern, in microseconds.
struct SoundEnvelope: Sendable, Equatable {
    private let start: Double
    /// The duration of the attack.
    private let attack: Double
    /// The time at which the decay or release begins; infinite for an event without an end.
    private let held: Double
    /// The duration of the decay or release.
    private let fall: Double

    /// The end of the event; infinite for an event without an end.
    var end: Double { held + fall }

    /// Computes the envelope of an event. An event without a duration has no end, unless it has a
    /// decay.
    init(of event: HapticEvent, _ controls: SoundControls) {
        start = Double(event.time)
        let length = event.length.flatMap { $0 > 0 ? Double($0) : nil }
        let end = start + (length ?? .infinity)
        guard event.type == .audioContinuous || event.audio?.usesVolumeEnvelope == true else {
            (attack, held, fall) = (0, end, 0)
            return
        }
        func duration(_ adjuster: Double, _ id: DynamicParameterID, at time: Double) -> Double {
            Double(EnvelopeTiming.standard.duration(of: controls.value(adjuster, id, at: time)))
        }
        let envelope = event.envelope
        attack = duration(envelope.attackTime, .audioAttackTimeControl, at: start)
        if envelope.sustained {
            held = end
            fall = duration(
                envelope.releaseTime, .audioReleaseTimeControl, at: end.isFinite ? end : start)
        } else {
            fall = duration(envelope.decayTime, .audioDecayTimeControl, at: start + attack)
            // Without a decay, the loudness of the event does not change until the end of the
            // event.
            held = fall > 0 ? min(start + attack, end) : end
        }
    }

    /// Returns the loudness at a time, 0...1.
    func value(at time: Double) -> Double {
        guard time >= start, time < end else { return 0 }
        let risen = attack > 0 ? min(1, (min(time, held) - start) / attack) : 1
        guard time > held else { return risen }
        return risen * (1 - (time - held) / fall)
    }
}
