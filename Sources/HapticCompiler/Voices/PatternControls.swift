// PatternControls: the values of a pattern's dynamic parameters over time.

import HapticPatterns

/// The values of a pattern's controls over time, and their effects on the events of the pattern.
struct PatternControls: Sendable {
    let options: CompilerOptions
    let intensity: ControlTimeline
    let sharpness: ControlTimeline
    private let attack: ControlTimeline
    private let decay: ControlTimeline
    private let release: ControlTimeline
    let endless: PatternVoice.EndlessEvents
    private let patternEnd: Microseconds

    /// Creates the controls of a pattern.
    ///
    /// - Parameter patternEnd: the earliest time at which the pattern ends, in microseconds. By
    ///   default, this is the length of the pattern.
    init(
        of pattern: HapticPattern, options: CompilerOptions, endless: PatternVoice.EndlessEvents,
        patternEnd: Microseconds? = nil
    ) {
        self.init(
            of: pattern.controls, options: options, endless: endless,
            patternEnd: patternEnd ?? pattern.length)
    }

    /// Creates the controls of a pattern from its parameters and curves in ascending order of their
    /// starts.
    ///
    /// - Parameter patternEnd: the earliest time at which the pattern ends, in microseconds.
    init(
        of controls: [ControlCurve], options: CompilerOptions,
        endless: PatternVoice.EndlessEvents, patternEnd: Microseconds
    ) {
        self.options = options
        self.endless = endless
        self.patternEnd = patternEnd
        intensity = ControlTimeline(.hapticIntensityControl, of: controls)
        sharpness = ControlTimeline(.hapticSharpnessControl, of: controls)
        attack = ControlTimeline(.hapticAttackTimeControl, of: controls)
        decay = ControlTimeline(.hapticDecayTimeControl, of: controls)
        release = ControlTimeline(.hapticReleaseTimeControl, of: controls)
    }

    /// The maximum number of control segments that start within one interval of
    /// ``PatternVoice/densityTime``. The intervals follow each other without gaps.
    var density: Int {
        intensity.segments.lazy.map { $0.start }.density
            + sharpness.segments.lazy.map { $0.start }.density
    }

    /// Returns whether the controls for attack, decay and release equal those of `other`. If so,
    /// the durations of all events are the same with both sets of controls.
    func hasSameEnvelopes(as other: PatternControls) -> Bool {
        attack == other.attack && decay == other.decay && release == other.release
    }

    /// Returns the tap that represents a transient.
    func tap(_ event: HapticEvent, source: Int) -> VoiceTap {
        let gain = intensity.value(at: event.time)
        let shift =
            options.sharpnessCurves.changesTransients
            ? sharpness.value(at: event.time) : sharpness.id.defaultValue
        return VoiceTap(
            time: event.time, intensity: intensity.id.combine(event.intensity, with: gain),
            base: event.intensity, sharpness: sharpness.id.combine(event.sharpness, with: shift),
            source: source)
    }

    /// Returns the time at which an endless event begins its release; `Microseconds.max` if the
    /// event is never released.
    func endlessEnd(of event: HapticEvent) -> Microseconds {
        switch endless {
        case .unlimited: .max
        case .limited: max(event.time + PatternVoice.endlessLimit, patternEnd)
        }
    }

    /// Returns the length of an attack that begins at the given time, in microseconds.
    func attackLength(of event: HapticEvent, at time: Microseconds) -> Microseconds {
        length(event.envelope.attackTime, attack, at: time)
    }

    /// Returns the length of a decay that begins at the given time, in microseconds.
    func decayLength(of event: HapticEvent, at time: Microseconds) -> Microseconds {
        length(event.envelope.decayTime, decay, at: time)
    }

    /// Returns the length of a release that begins at the given time, in microseconds.
    func releaseLength(of event: HapticEvent, at time: Microseconds) -> Microseconds {
        length(event.envelope.releaseTime, release, at: time)
    }

    private func length(
        _ adjuster: Double, _ control: ControlTimeline, at time: Microseconds
    ) -> Microseconds {
        options.envelopeTiming.duration(
            of: control.id.combine(adjuster, with: control.value(at: time)))
    }
}
