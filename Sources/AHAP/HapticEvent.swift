// One event of a pattern, with every default applied, and the defaults themselves.

/// One event on the time line of a ``HapticPattern``.
public struct HapticEvent: Sendable, Equatable {
    /// The kind of an event, with AHAP's spelling as raw value (`CHHapticEvent.h`).
    public enum EventType: String, Sendable, CaseIterable {
        /// A tap: short, of fixed length.
        case hapticTransient = "HapticTransient"
        /// A sensation with a duration and an envelope.
        case hapticContinuous = "HapticContinuous"
        /// A synthesised tone; kept, never played here.
        case audioContinuous = "AudioContinuous"
        /// A sound file; kept, never played here.
        case audioCustom = "AudioCustom"

        /// Whether an actuator plays it (rather than a loudspeaker).
        public var isHaptic: Bool { self == .hapticTransient || self == .hapticContinuous }
    }

    /// The kind of event.
    public var type: EventType
    /// The start, in microseconds from the start of the pattern.
    public var time: Microseconds
    /// Microseconds from the start to the *beginning of release*, or nil where not given.
    ///
    /// A continuous event with nil or 0 plays until it is stopped. On a transient it lengthens the
    /// pattern, not the sensation (`CHHapticEvent.h`).
    public var length: Microseconds?
    /// The strength, 0...1. 0 on audio events, so that they stay silent on an actuator.
    public var intensity: Double
    /// The sharpness, 0 (dull) ... 1 (crisp). 0 on audio events.
    public var sharpness: Double
    /// The shape of a continuous or audio event in time. Left at its default on transients.
    public var envelope: Envelope
    /// The sound of an audio event; nil on haptic events.
    public var audio: AudioAttributes?
    /// Where the event stands in its file; not compared.
    @NotCompared public var place: SourcePlace?

    /// Makes an event; what is left out takes the default of its type.
    public init(
        _ type: EventType, time: Microseconds, duration: Microseconds? = nil,
        intensity: Double? = nil, sharpness: Double? = nil,
        envelope: Envelope = Envelope(), audio: AudioAttributes? = nil, place: SourcePlace? = nil
    ) {
        self.type = type
        self.time = time
        length = duration
        self.intensity = intensity ?? EventParameterID.hapticIntensity.defaultValue(for: type) ?? 0
        self.sharpness = sharpness ?? EventParameterID.hapticSharpness.defaultValue(for: type) ?? 0
        self.envelope = envelope
        self.audio = type.isHaptic ? nil : audio ?? AudioAttributes()
        self.place = place
    }

    /// Whether the event plays until it is stopped: continuous, sustained and without a duration.
    ///
    /// An event that is not sustained ends by its own decay.
    public var isEndless: Bool {
        type == .hapticContinuous && envelope.sustained && (length ?? 0) == 0
    }
}

/// What an audio event carries beside its envelope. Kept so that nothing is lost; never played.
public struct AudioAttributes: Sendable, Equatable {
    /// Loudness, 0...1.
    public var volume: Double
    /// Pitch, -1...1.
    public var pitch: Double
    /// Place between left (-1) and right (1).
    public var pan: Double
    /// High-frequency content, 0...1; audio-continuous events only.
    public var brightness: Double
    /// Path of the sound file, relative to the AHAP file; audio-custom events only.
    public var waveformPath: String?
    /// The number of a sound that an app registered instead; audio-custom events only.
    public var resourceID: Int?
    /// Whether volume follows the envelope; audio-custom events only.
    public var usesVolumeEnvelope: Bool
    /// Whether the sound repeats; audio-custom events only.
    public var isLoopEnabled: Bool

    /// Makes the attributes; what is left out takes Core Haptics' default.
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

/// What a haptic event is worth where its file leaves intensity or sharpness out.
///
/// Apple documents that defaults exist, not what they are. These four are the fallback table of
/// Apple's own open-source Unity plug-in, the only public source; a device may answer differently.
/// Converters elsewhere assume 1.0, which would be felt as too strong.
public enum EventDefaults {
    /// Intensity of a transient.
    public static let transientIntensity = 0.75
    /// Sharpness of a transient.
    public static let transientSharpness = 0.5
    /// Intensity of a continuous event.
    public static let continuousIntensity = 0.6
    /// Sharpness of a continuous event.
    public static let continuousSharpness = 0.422601
}
