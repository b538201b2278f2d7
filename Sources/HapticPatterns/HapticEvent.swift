// HapticEvent: one event of a pattern with every default applied, and the defaults themselves.

import JSONText

/// One event on the timeline of a ``HapticPattern``.
public struct HapticEvent: Sendable, Equatable, Codable {
    /// The kind of an event. The raw value is AHAP's spelling (`CHHapticEvent.h`).
    public enum EventType: String, Sendable, CaseIterable, Codable {
        /// A tap, which is short and of fixed length.
        case hapticTransient = "HapticTransient"
        /// A sensation with a duration and an envelope.
        case hapticContinuous = "HapticContinuous"
        /// A synthesised tone.
        case audioContinuous = "AudioContinuous"
        /// A sound file.
        case audioCustom = "AudioCustom"

        /// True if an actuator rather than a loudspeaker plays the event.
        public var isHaptic: Bool { self == .hapticTransient || self == .hapticContinuous }
    }

    /// The kind of event.
    public var type: EventType
    /// The start, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The time from the start to the *beginning of release*, in microseconds; nil if not given.
    ///
    /// A continuous, sustained event with nil or 0 plays until it is stopped. On a transient the
    /// length extends the pattern, not the sensation (`CHHapticEvent.h`).
    public var length: Microseconds?
    /// The strength, 0...1. It is 0 on audio events, so that they stay silent on an actuator.
    public var intensity: Double
    /// The sharpness, from 0 (dull) to 1 (crisp). It is 0 on audio events.
    public var sharpness: Double
    /// The shape of a continuous or audio event over time. Transients keep the default.
    public var envelope: Envelope
    /// The sound of an audio event; nil on haptic events.
    public var audio: AudioAttributes?
    /// The location of the event in its file; ignored by comparisons.
    @NotCompared public var location: SourceLocation?

    /// Makes an event. Omitted values take the defaults of the event's type.
    public init(
        _ type: EventType, time: Microseconds, duration: Microseconds? = nil,
        intensity: Double? = nil, sharpness: Double? = nil,
        envelope: Envelope = Envelope(), audio: AudioAttributes? = nil,
        location: SourceLocation? = nil
    ) {
        self.type = type
        self.time = time
        length = duration
        self.intensity = intensity ?? EventParameterID.hapticIntensity.defaultValue(for: type) ?? 0
        self.sharpness = sharpness ?? EventParameterID.hapticSharpness.defaultValue(for: type) ?? 0
        self.envelope = envelope
        self.audio = type.isHaptic ? nil : audio ?? AudioAttributes()
        self.location = location
    }

    /// True if the event plays until it is stopped: it is continuous, sustained and without a
    /// duration.
    ///
    /// An event that is not sustained ends by its own decay.
    public var isEndless: Bool {
        type == .hapticContinuous && envelope.sustained && (length ?? 0) == 0
    }
}

/// The values of an audio event in addition to its envelope.
public struct AudioAttributes: Sendable, Equatable, Codable {
    /// The loudness, 0...1.
    public var volume: Double
    /// The pitch, -1...1.
    public var pitch: Double
    /// The position between left (-1) and right (1).
    public var pan: Double
    /// The high-frequency content, 0...1; audio-continuous events only.
    public var brightness: Double
    /// The path of the sound file, relative to the AHAP file; audio-custom events only.
    public var waveformPath: String?
    /// The number of a sound that an app registered, used instead of a path; audio-custom events
    /// only.
    public var resourceID: Int?
    /// True if the volume follows the envelope; audio-custom events only.
    public var usesVolumeEnvelope: Bool
    /// True if the sound repeats; audio-custom events only.
    public var isLoopEnabled: Bool

    /// Makes the attributes. Omitted values take Core Haptics' defaults.
    public init(
        volume: Double = 1, pitch: Double = 0, pan: Double = 0, brightness: Double = 1,
        waveformPath: String? = nil, resourceID: Int? = nil, usesVolumeEnvelope: Bool = true,
        isLoopEnabled: Bool = false
    ) {
        self.volume = volume
        self.pitch = pitch
        self.pan = pan
        self.brightness = brightness
        self.waveformPath = waveformPath
        self.resourceID = resourceID
        self.usesVolumeEnvelope = usesVolumeEnvelope
        self.isLoopEnabled = isLoopEnabled
    }
}

/// The intensity and sharpness of a haptic event whose file leaves them out.
///
/// Apple documents that defaults exist, but not their values. These four are the fallback table of
/// Apple's own open-source Unity plug-in, the only public source; a device may differ. Converters
/// elsewhere assume 1.0, which would feel too strong.
public enum EventDefaults {
    /// The intensity of a transient.
    public static let transientIntensity = 0.75
    /// The sharpness of a transient.
    public static let transientSharpness = 0.5
    /// The intensity of a continuous event.
    public static let continuousIntensity = 0.6
    /// The sharpness of a continuous event.
    public static let continuousSharpness = 0.422601
}
