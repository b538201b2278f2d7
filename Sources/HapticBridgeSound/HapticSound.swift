// HapticSound: sound for the engines of a program.

import HapticBridge

/// Sound that goes with what is felt.
///
/// The library `HapticBridge` is linked with no sound library, so nothing of a pattern is heard by
/// itself. A program that depends on `HapticBridgeSound` too installs sound at its start:
///
///     HapticSound.install()
///     let engine = try CHHapticEngine()
///
/// Engines that are started afterwards open the sound device, and play the audio events of patterns
/// in step with the actuators.
public enum HapticSound {
    /// Gives the engines of this program sound: by ALSA on Linux, by AVFAudio on macOS.
    public static func install() { InstalledSound.install(SystemSound()) }
}

/// The sound device of the system, and sound files by libsndfile.
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
}
