// HapticSound: adds sound to the engines of a program.

import HapticBridge

/// Playback of the sounds of patterns together with their haptics.
///
/// The library `HapticBridge` does not link a sound library, so by default the sounds of a pattern
/// are not played. A program that also depends on `HapticBridgeSound` calls `install()` when it
/// starts:
///
///     HapticSound.install()
///     let engine = try CHHapticEngine()
///
/// Engines that are started afterwards open the sound device and play the audio events of patterns
/// in sync with the actuators.
public enum HapticSound {
    /// Adds sound to the engines of this program, with ALSA on Linux and AVFAudio on macOS.
    public static func install() { InstalledSound.install(SystemSound()) }
}

/// The sound device of the system, with libsndfile as the reader of sound files.
struct SystemSound: SoundOutput {
    var isAvailable: Bool { SystemStream.isAvailable }

    func samples(ofFile path: String) throws -> SoundSamples {
        let file = try SoundFile.read(path, limits: .init(bytes: 64 << 20))
        return SoundSamples(channels: file.channels, sampleRate: file.sampleRate)
    }

    func open(
        _ render: @escaping SoundRendering, failed: @escaping @Sendable (String?) -> Void
    ) -> any SoundStream {
        SystemStream(render, failed: failed)
    }

    func open(
        _ coils: VoiceCoils, _ render: @escaping SoundRendering,
        lost: @escaping @Sendable (String) -> Void
    ) throws -> any SoundStream {
        try SystemStream(coils, render, lost: lost)
    }
}
