// The parameters that Core Haptics knows: ranges, defaults, and how the two kinds combine.

/// A parameter of one event, with AHAP's spelling as raw value (`CHHapticEventParameter.h`).
public enum EventParameterID: String, Sendable, CaseIterable {
    /// Strength of a haptic event, 0...1.
    case hapticIntensity = "HapticIntensity"
    /// Sharpness of a haptic event, 0...1.
    case hapticSharpness = "HapticSharpness"
    /// Rise of the envelope, an adjuster 0...1.
    case attackTime = "AttackTime"
    /// Fall of the envelope of an event that is not sustained, an adjuster 0...1.
    case decayTime = "DecayTime"
    /// Fall of the envelope of a sustained event, an adjuster 0...1.
    case releaseTime = "ReleaseTime"
    /// Whether the event holds its level for its duration, 0 or 1.
    case sustained = "Sustained"
    /// Loudness of an audio event, 0...1.
    case audioVolume = "AudioVolume"
    /// Pitch of an audio event, -1...1.
    case audioPitch = "AudioPitch"
    /// Place of an audio event between left and right, -1...1.
    case audioPan = "AudioPan"
    /// High-frequency content of an audio-continuous event, 0...1.
    case audioBrightness = "AudioBrightness"

    /// The legal values; values outside are clamped to the nearest (AHAP-doc).
    public var range: ClosedRange<Double> {
        self == .audioPitch || self == .audioPan ? -1...1 : 0...1
    }

    /// Whether the parameter shapes an envelope in time.
    public var isRamp: Bool {
        switch self {
        case .attackTime, .decayTime, .releaseTime, .sustained: true
        default: false
        }
    }

    /// Whether events of a type have this parameter. Transients have no envelope.
    public func applies(to type: HapticEvent.EventType) -> Bool {
        switch self {
        case .hapticIntensity, .hapticSharpness: type.isHaptic
        case .attackTime, .decayTime, .releaseTime, .sustained: type != .hapticTransient
        case .audioVolume, .audioPitch, .audioPan: !type.isHaptic
        case .audioBrightness: type == .audioContinuous
        }
    }

    /// The value that an event of a type has where the file gives none; nil where the parameter
    /// does not apply. See ``EventDefaults``.
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

/// A parameter of a whole pattern over time, with AHAP's spelling as raw value
/// (`CHHapticParameter.h`).
public enum DynamicParameterID: String, Sendable, CaseIterable {
    /// Scales the intensity of haptic events.
    case hapticIntensityControl = "HapticIntensityControl"
    /// Shifts the sharpness of haptic events; of which, ``SharpnessCurveProfile`` decides.
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

    /// How a dynamic parameter and the event's own parameter become one value.
    public enum Combination: Sendable {
        /// The product of the two; 1 changes nothing.
        case multiply
        /// The sum of the two; 0 changes nothing.
        case add
    }

    /// Multiply for intensity and volume, add for all others (`CHHapticDynamicParameter`).
    public var combination: Combination {
        self == .hapticIntensityControl || self == .audioVolumeControl ? .multiply : .add
    }

    /// The legal values: 0...1 where the parameter multiplies, -1...1 where it adds.
    public var range: ClosedRange<Double> { combination == .multiply ? 0...1 : -1...1 }

    /// The value that changes nothing, in force until something else is said.
    public var defaultValue: Double { combination == .multiply ? 1 : 0 }

    /// Whether haptic events listen to it; audio events listen to the others.
    public var isHaptic: Bool { rawValue.hasPrefix("Haptic") }

    /// The parameter of an event that this one changes.
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

    /// An event's own value under a control value, limited to the event parameter's range.
    public func combine(_ eventValue: Double, with control: Double) -> Double {
        let value = combination == .multiply ? eventValue * control : eventValue + control
        return eventParameter.range.clamp(value)
    }
}

/// Which events a sharpness curve changes; the one point on which the sources contradict.
public enum SharpnessCurveProfile: String, Sendable, CaseIterable {
    /// Only continuous events, as AHAP-doc says. The default.
    case appleDoc = "apple-doc"
    /// Transients too, as Meta's exporter team observed on iPhones.
    case observed

    /// Whether a transient's sharpness is shifted by the control value at its start.
    public var changesTransients: Bool { self == .observed }
}

extension ClosedRange where Bound == Double {
    /// The nearest value inside the range.
    func clamp(_ value: Double) -> Double { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
