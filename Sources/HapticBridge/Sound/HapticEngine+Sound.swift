// The sound of an engine: its latency, its start times and its failures.

import BridgeLink
import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

extension HapticEngine {
    /// The reason why the sounds of patterns are not audible although the program has called
    /// `HapticSound.install()`; nil if the sounds are audible. A missing sound device is not an
    /// error: without it, haptics play without sound.
    public var soundFailure: String? { core.sound.failure }

    /// True if a voice coil is silent because its output has lasted for
    /// ``VoiceCoils/maximumDuration``, and its patterns have not paused since; false for a board.
    public var isOutputLimited: Bool { core.coils?.isLimited ?? false }

    /// The additional latency of the sound device beyond the latency that the device reports,
    /// within ``HapticSettings/audioDelays``; nil, which is the default, selects the user's setting
    /// (``HapticSettings/audioDelay``). A change takes effect at the next start.
    public var audioDelay: Duration? {
        get { state.withLock { $0.audioDelay } }
        set {
            let range = HapticSettings.audioDelays
            let delay = newValue.map { min(max($0, range.lowerBound), range.upperBound) }
            state.withLock { $0.audioDelay = delay }
        }
    }

    /// The earliest time on the clock of ``currentTime``, in seconds, at which a pattern on voice
    /// coils can start, or a pattern with sound so that its sounds and haptics begin at the same
    /// time. A start that requests an earlier time takes place at this time.
    public var earliestSound: TimeInterval { earliestSoundTime.seconds }

    /// The host time of ``earliestSound``.
    package var earliestSoundTime: HostTime { core.earliestSound(at: Link.now()) }
}

extension EngineCore {
    /// Returns the earliest host time at which a pattern with sound, or a pattern on voice coils,
    /// can begin if it is requested now.
    func earliestSound(at now: HostTime) -> HostTime {
        max(sound.earliestStart(at: now), coils?.earliestStart(at: now) ?? now)
    }

    /// Opens the sound device for a run, if the engine plays sound.
    func openSound(_ state: EngineState) {
        guard !state.playsHapticsOnly, InstalledSound.output != nil else { return }
        let user = (try? HapticSettings(file: HapticSettings.file))?.audioDelay ?? .zero
        sound.open(delay: Microseconds(state.audioDelay ?? user), at: Link.now())
    }

    /// Reads the sounds of a pattern. Returns nil if no sound of the pattern would be audible.
    func sounds(
        of pattern: HapticPattern, in file: URL?
    ) throws(HapticError) -> (pattern: HapticPattern, voice: SoundVoice)? {
        guard pattern.events.contains(where: { !$0.type.isHaptic }),
            let output = InstalledSound.output
        else { return nil }
        let (isOff, registered) = state.withLock { ($0.playsHapticsOnly, $0.sounds) }
        guard !isOff else { return nil }
        let sounds = try PatternSounds(of: pattern, in: file, registered: registered, by: output)
        let voice = SoundVoice(sounds.pattern, sounds: sounds.sounds)
        return voice.isSilent ? nil : (sounds.pattern, voice)
    }
}
