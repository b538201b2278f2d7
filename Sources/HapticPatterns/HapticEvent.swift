// HapticEvent: an event of a pattern with all default values applied, and the default values.

import JSONText

/// An event on the timeline of a ``HapticPattern``.
public struct HapticEvent: Sendable, Equatable, Codable {
    /// The kind of an event. The raw value is AHAP's spelling (`CHHapticEvent.h`).
    public enum EventType: String, Sendable, CaseIterable, Codable {
        /// A tap: a short sensation of fixed length.
        case hapticTransient = "HapticTransient"
        /// A sensation with a duration and an envelope.
        case hapticContinuous = "HapticContinuous"
        /// A synthesized tone.
        case audioContinuous = "AudioContinuous"
        /// A sound file.
        case audioCustom = "AudioCustom"

        /// True if the event is played by an actuator, and not by a loudspeaker.
        public var isHaptic: Bool { self == .hapticTransient || self == .hapticContinuous }
    }

    /// The kind of event.
    public var type: EventType
    /// The start, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// The time from the start of the event to the *start of its release*, in microseconds; nil if
    /// this time is not specified.
    ///
    /// A sustained continuous event whose length is nil or 0 plays until it is stopped. The length
    /// of a transient extends the pattern, but not the sensation (`CHHapticEvent.h`).
    public var length: Microseconds?
    /// The intensity, 0...1. The intensity is 0 for an audio event, which an actuator does not
    /// play.
    public var intensity: Double
    /// The sharpness, from 0 (dull) to 1 (crisp). The sharpness is 0 for an audio event.
    public var sharpness: Double
    /// The envelope of a continuous event or an audio event. A transient has the default envelope.
    public var envelope: Envelope
    /// The attributes of an audio event; nil if the event is a haptic event.
    public var audio: AudioAttributes?
    /// The location of the event in its file; ignored by comparisons.
    @NotCompared public var location: SourceLocation?

    /// Creates an event. Omitted values are set to the defaults for the event's type.
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
    /// An event that is not sustained ends with its decay.
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
    /// The stereo position, from -1 (left) to 1 (right).
    public var pan: Double
    /// The amount of high frequencies, 0...1. This value applies only to audio-continuous events.
    public var brightness: Double
    /// The path of the sound file, relative to the AHAP file. This value applies only to
    /// audio-custom events.
    public var waveformPath: String?
    /// The identifier of a sound that an app has registered, used instead of a path. This value
    /// applies only to audio-custom events.
    public var resourceID: Int?
    /// True if the volume follows the envelope. This value applies only to audio-custom events.
    public var usesVolumeEnvelope: Bool
    /// True if the sound repeats. This value applies only to audio-custom events.
    public var isLoopEnabled: Bool

    /// Creates attributes. Omitted values are set to the defaults of Core Haptics.
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

/// The default intensity and sharpness of haptic events.
///
/// Apple documents that defaults exist, but not their values. These four values are from the
/// fallback table of Apple's open-source Unity plug-in, which is the only public source of such
/// values. Apple's devices may use other values. Other converters assume 1.0, which feels too
/// strong.
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
