// The sound of an engine: when it plays, and what is known of it.

import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

extension HapticEngine {
    /// The reason why nothing is heard of the sounds of patterns although sound is installed; nil if
    /// there is none. The absence of a sound device is no error: what is felt plays as without sound.
    public var soundFailure: String? { core.sound.failure }

    /// The time by which sound is heard later than its device says, within
    /// ``HapticSettings/audioDelays``; nil at first, for the user's setting
    /// (``HapticSettings/audioDelay``). Takes effect at the next start.
    public var audioDelay: Duration? {
        get { state.withLock { $0.audioDelay } }
        set {
            let range = HapticSettings.audioDelays
            let delay = newValue.map { min(max($0, range.lowerBound), range.upperBound) }
            state.withLock { $0.audioDelay = delay }
        }
    }

    /// The earliest time of ``currentTime``, in seconds, at which a pattern with sound can start with
    /// what is heard and felt in step. A start that asks for an earlier time is at this time.
    public var earliestSound: TimeInterval {
        core.sound.earliestStart(at: Link.now()).seconds
    }
}

extension EngineCore {
    /// Opens the sound device for a run, if anything is to be heard.
    func openSound(_ state: EngineState) {
        guard !state.playsHapticsOnly, InstalledSound.output != nil else { return }
        let user = (try? HapticSettings(file: HapticSettings.file))?.audioDelay ?? .zero
        sound.open(delay: Microseconds(state.audioDelay ?? user), at: Link.now())
    }

    /// Reads the sounds of a pattern. Returns nil if nothing of it is to be heard.
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
