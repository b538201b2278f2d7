// The sounds that a pattern names, read before it plays.

import Foundation
import HapticPatterns
import SoundMix

/// A sound that an app has registered.
struct RegisteredSound: Sendable {
    let url: URL
    let usesVolumeEnvelope: Bool
    let isLoopEnabled: Bool

    init(url: URL, _ options: [AnyHashable: Any]) {
        self.url = url
        usesVolumeEnvelope =
            options[CHHapticAudioResourceKeyUseVolumeEnvelope] as? Bool ?? true
        isLoopEnabled = options[CHHapticAudioResourceKeyLoopEnabled] as? Bool ?? false
    }
}

/// The sounds of a pattern's audio-custom events.
struct PatternSounds {
    /// The pattern, in which every sound has a duration.
    let pattern: HapticPattern
    /// The sounds by the index of their event.
    let sounds: [Int: SoundSamples]

    /// Reads the sounds.
    ///
    /// - Parameters:
    ///   - file: the AHAP file, beside which the sounds are; nil if the pattern was no file.
    ///   - registered: the sounds that the app has registered.
    /// - Throws: `invalidAudioResource` or `resourceNotAvailable` with the file, and the place that
    ///   names it.
    init(
        of pattern: HapticPattern, in file: URL?,
        registered: [CHHapticAudioResourceID: RegisteredSound],
        by output: any SoundOutput
    ) throws {
        var events = pattern.events
        var sounds: [Int: SoundSamples] = [:]
        var read: [String: SoundSamples] = [:]
        for (index, event) in pattern.events.enumerated() where event.type == .audioCustom {
            guard let audio = event.audio else { continue }
            let path = Self.path(of: audio, beside: file, registered)
            do {
                guard FileManager.default.fileExists(atPath: path) else {
                    throw HapticError(
                        .resourceNotAvailable, "\(path): there is no such sound file")
                }
                let samples = try read[path] ?? output.samples(ofFile: path)
                read[path] = samples
                sounds[index] = samples
                if let sound = audio.resourceID.flatMap({ registered[$0] }) {
                    events[index].audio?.usesVolumeEnvelope = sound.usesVolumeEnvelope
                    events[index].audio?.isLoopEnabled = sound.isLoopEnabled
                }
                events[index].length = Self.length(of: events[index], samples)
            } catch {
                throw HapticError(sound: error, named: event, in: file)
            }
        }
        self.sounds = sounds
        // Events of the same time keep their order.
        self.pattern = HapticPattern(
            events: events, parameters: pattern.parameters, curves: pattern.curves)
    }

    private static func path(
        of audio: AudioAttributes, beside file: URL?,
        _ registered: [CHHapticAudioResourceID: RegisteredSound]
    ) -> String {
        if let sound = audio.resourceID.flatMap({ registered[$0] }) { return sound.url.path }
        let name = audio.waveformPath ?? ""
        if name.hasPrefix("/") { return name }
        let folders = [file?.deletingLastPathComponent(), Bundle.main.resourceURL]
            .compactMap(\.self)
        let paths =
            folders.map { $0.appendingPathComponent(name).path }
            // Without a file, names count from the current folder too.
            + (file == nil ? [name] : [])
        return paths.first { FileManager.default.fileExists(atPath: $0) } ?? paths[0]
    }

    /// Returns the duration of an event, which is that of its sound if it has none of its own: nil
    /// for one that repeats until the player is over.
    private static func length(of event: HapticEvent, _ samples: SoundSamples) -> Microseconds? {
        if let length = event.length, length > 0 { return length }
        guard event.audio?.isLoopEnabled != true else { return nil }
        let factor = SoundVoice.factor(ofPitch: event.audio?.pitch ?? 0)
        return Microseconds((Double(samples.duration) / factor).rounded(.up))
    }
}

extension HapticError {
    /// Makes the error of a sound that cannot be read.
    fileprivate init(sound error: any Error, named event: HapticEvent, in file: URL?) {
        let place = event.location.map { "\($0)" }
        let location = [file?.path, place].compactMap(\.self).joined(separator: ":")
        let problem = (error as? HapticError)?.message ?? "\(error)"
        self.init(
            (error as? HapticError)?.code ?? .invalidAudioResource,
            location.isEmpty ? problem : "\(location): \(problem)")
    }
}
