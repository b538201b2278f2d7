// ParameterID: the parameters of Core Haptics with their ranges and default values, and the rules
// for combining event parameters with dynamic parameters.

/// A parameter of one event. The raw value is AHAP's spelling (`CHHapticEventParameter.h`).
public enum EventParameterID: String, Sendable, CaseIterable {
    /// The intensity of a haptic event, 0...1.
    case hapticIntensity = "HapticIntensity"
    /// The sharpness of a haptic event, 0...1.
    case hapticSharpness = "HapticSharpness"
    /// The attack time of the envelope, an adjuster of 0...1.
    case attackTime = "AttackTime"
    /// The decay time of the envelope, an adjuster of 0...1. The decay time affects only events
    /// that are not sustained.
    case decayTime = "DecayTime"
    /// The release time of the envelope, an adjuster of 0...1. The release time affects only
    /// sustained events.
    case releaseTime = "ReleaseTime"
    /// The switch for sustained events, 0 or 1. With a value of 1, the event holds its level for
    /// its duration.
    case sustained = "Sustained"
    /// The loudness of an audio event, 0...1.
    case audioVolume = "AudioVolume"
    /// The pitch of an audio event, -1...1.
    case audioPitch = "AudioPitch"
    /// The stereo position of an audio event, from -1 (left) to 1 (right).
    case audioPan = "AudioPan"
    /// The amount of high frequencies in an audio-continuous event, 0...1.
    case audioBrightness = "AudioBrightness"

    /// The range of valid values. Values outside the range are clamped to it (AHAP-doc).
    public var range: ClosedRange<Double> {
        self == .audioPitch || self == .audioPan ? -1...1 : 0...1
    }

    /// True if the parameter is part of an envelope.
    public var isRamp: Bool {
        switch self {
        case .attackTime, .decayTime, .releaseTime, .sustained: true
        default: false
        }
    }

    /// Returns whether the parameter applies to events of a type. Transients have no envelope.
    public func applies(to type: HapticEvent.EventType) -> Bool {
        switch self {
        case .hapticIntensity, .hapticSharpness: type.isHaptic
        case .attackTime, .decayTime, .releaseTime, .sustained: type != .hapticTransient
        case .audioVolume, .audioPitch, .audioPan: !type.isHaptic
        case .audioBrightness: type == .audioContinuous
        }
    }

    /// Returns the default value for events of the given type; nil if the parameter does not apply
    /// to such events. See ``EventDefaults``.
    public func defaultValue(for type: HapticEvent.EventType) -> Double? {
        guard applies(to: type) else { return nil }
        typealias Defaults = EventDefaults
        let isTap = type == .hapticTransient
        switch self {
        case .hapticIntensity:
            return isTap ? Defaults.transientIntensity : Defaults.continuousIntensity
        case .hapticSharpness:
            return isTap ? Defaults.transientSharpness : Defaults.continuousSharpness
        case .attackTime, .decayTime, .releaseTime, .audioPitch, .audioPan: return 0
        case .sustained, .audioVolume, .audioBrightness: return 1
        }
    }
}

/// A parameter that affects a whole pattern over time. The raw value is AHAP's spelling
/// (`CHHapticParameter.h`).
public enum DynamicParameterID: String, Sendable, CaseIterable, Codable {
    /// Scales the intensity of haptic events.
    case hapticIntensityControl = "HapticIntensityControl"
    /// Shifts the sharpness of haptic events. ``SharpnessCurveProfile`` determines which events are
    /// affected.
    case hapticSharpnessControl = "HapticSharpnessControl"
    /// Shifts the attack adjuster of haptic continuous events.
    case hapticAttackTimeControl = "HapticAttackTimeControl"
    /// Shifts the decay adjuster of haptic continuous events.
    case hapticDecayTimeControl = "HapticDecayTimeControl"
    /// Shifts the release adjuster of haptic continuous events.
    case hapticReleaseTimeControl = "HapticReleaseTimeControl"
    /// Scales the volume of audio events.
    case audioVolumeControl = "AudioVolumeControl"
    /// Shifts the pan of audio events.
    case audioPanControl = "AudioPanControl"
    /// Shifts the brightness of audio events.
    case audioBrightnessControl = "AudioBrightnessControl"
    /// Shifts the pitch of audio events.
    case audioPitchControl = "AudioPitchControl"
    /// Shifts the attack adjuster of audio events.
    case audioAttackTimeControl = "AudioAttackTimeControl"
    /// Shifts the decay adjuster of audio events.
    case audioDecayTimeControl = "AudioDecayTimeControl"
    /// Shifts the release adjuster of audio events.
    case audioReleaseTimeControl = "AudioReleaseTimeControl"

    /// The operation that combines a dynamic parameter with the event parameter.
    public enum Combination: Sendable {
        /// The product of the two values; 1 has no effect.
        case multiply
        /// The sum of the two values; 0 has no effect.
        case add
    }

    /// The operation that combines the parameter with the event parameter: multiply for intensity
    /// and volume, add for all others (`CHHapticDynamicParameter`).
    public var combination: Combination {
        self == .hapticIntensityControl || self == .audioVolumeControl ? .multiply : .add
    }

    /// The range of valid values: 0...1 for a factor, -1...1 for a summand.
    public var range: ClosedRange<Double> { combination == .multiply ? 0...1 : -1...1 }

    /// The value that has no effect. This value applies until the pattern sets another value.
    public var defaultValue: Double { combination == .multiply ? 1 : 0 }

    /// True if the parameter affects haptic events; false if it affects audio events.
    public var isHaptic: Bool { rawValue.hasPrefix("Haptic") }

    /// The event parameter that this dynamic parameter changes.
    public var eventParameter: EventParameterID {
        switch self {
        case .hapticIntensityControl: .hapticIntensity
        case .hapticSharpnessControl: .hapticSharpness
        case .hapticAttackTimeControl, .audioAttackTimeControl: .attackTime
        case .hapticDecayTimeControl, .audioDecayTimeControl: .decayTime
        case .hapticReleaseTimeControl, .audioReleaseTimeControl: .releaseTime
        case .audioVolumeControl: .audioVolume
        case .audioPanControl: .audioPan
        case .audioBrightnessControl: .audioBrightness
        case .audioPitchControl: .audioPitch
        }
    }

    /// Returns the combination of an event's value with a control value, limited to the range of
    /// the event parameter.
    public func combine(_ eventValue: Double, with control: Double) -> Double {
        let value = combination == .multiply ? eventValue * control : eventValue + control
        return eventParameter.range.clamp(value)
    }
}

/// The kinds of events that a sharpness curve affects. The sources on Core Haptics disagree on this
/// point.
public enum SharpnessCurveProfile: String, Sendable, CaseIterable {
    /// Only continuous events are affected, according to AHAP-doc. This is the default.
    case appleDoc = "apple-doc"
    /// Transients are also affected, as the developers of Meta's exporter observed on iPhones.
    case observed

    /// True if the control value at the start of a transient changes the sharpness of the
    /// transient.
    public var changesTransients: Bool { self == .observed }
}
