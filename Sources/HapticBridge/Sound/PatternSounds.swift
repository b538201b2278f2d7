// The sounds that a pattern names, read before playback.

import Foundation
import HapticBoards
import HapticPatterns
import JSONText
import POSIX
import SerialPorts

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
    /// The samples of each sound, by the index of the event that plays the sound.
    let sounds: [Int: SoundSamples]

    /// Reads the sounds of a pattern.
    ///
    /// - Parameters:
    ///   - file: the AHAP file, whose folder contains the sounds; nil if the pattern was not read
    ///     from a file.
    ///   - registered: the sounds that the app has registered.
    /// - Throws: `invalidAudioResource` or `resourceNotAvailable` with the sound file and the
    ///   location in the pattern that names it. `invalidAudioResource` is also thrown for a sound
    ///   outside the folders of ``SoundFolders``.
    init(
        of pattern: HapticPattern, in file: URL?,
        registered: [CHHapticAudioResourceID: RegisteredSound],
        by output: any SoundOutput
    ) throws(HapticError) {
        var events = pattern.events
        var sounds: [Int: SoundSamples] = [:]
        var reader = SoundReader(file, registered: registered, by: output)
        for (index, event) in pattern.events.enumerated() where event.type == .audioCustom {
            guard let audio = event.audio else { continue }
            do {
                let samples = try reader.samples(of: audio)
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
        // Events with the same time remain in their original order.
        self.pattern = HapticPattern(
            events: events, parameters: pattern.parameters, curves: pattern.curves)
    }

    /// Returns the duration of an event, or the duration of its sound if the event does not have a
    /// duration; nil for a sound that repeats until the player ends.
    private static func length(of event: HapticEvent, _ samples: SoundSamples) -> Microseconds? {
        if let length = event.length, length > 0 { return length }
        guard event.audio?.isLoopEnabled != true else { return nil }
        let factor = SoundVoice.factor(ofPitch: event.audio?.pitch ?? 0)
        return Microseconds((Double(samples.duration) / factor).rounded(.up))
    }
}

/// A sound of a pattern that cannot be played.
package struct UnplayableSound: Sendable {
    /// The index of the event in its pattern.
    package let event: Int
    /// The location of the event in its file; nil if the pattern was not read from a file.
    package let location: SourceLocation?
    /// The reason. The text names the sound.
    package let reason: String
}

extension HapticPattern {
    /// Returns the sounds that the installed output cannot play, in order of their events; an empty
    /// array if no output is installed.
    ///
    /// - Parameter file: the AHAP file, whose folder contains the sounds; nil if the pattern was
    ///   not read from a file.
    package func unplayableSounds(in file: URL?) -> [UnplayableSound] {
        guard let output = InstalledSound.output else { return [] }
        var reader = SoundReader(file, registered: [:], by: output)
        return events.enumerated().compactMap { index, event in
            guard event.type == .audioCustom, let audio = event.audio else { return nil }
            do {
                _ = try reader.samples(of: audio)
                return nil
            } catch {
                let reason = (error as? HapticError)?.message ?? "\(error)"
                return UnplayableSound(event: index, location: event.location, reason: reason)
            }
        }
    }
}

/// Reads the sounds of a pattern, each file once.
private struct SoundReader {
    private let folders: SoundFolders
    private let registered: [CHHapticAudioResourceID: RegisteredSound]
    private let output: any SoundOutput
    private var read: [String: SoundSamples] = [:]

    init(
        _ file: URL?, registered: [CHHapticAudioResourceID: RegisteredSound],
        by output: any SoundOutput
    ) {
        folders = SoundFolders(beside: file)
        (self.registered, self.output) = (registered, output)
    }

    /// Returns the samples of an audio-custom event. Throws an error that names the sound.
    mutating func samples(of audio: AudioAttributes) throws -> SoundSamples {
        let path: String
        if let sound = audio.resourceID.flatMap({ registered[$0] }) {
            path = sound.url.path
        } else if let name = audio.waveformPath, !name.isEmpty {
            path = try folders.path(of: name)
        } else {
            throw HapticError.soundWithoutName
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw HapticError(.resourceNotAvailable, "\(path): there is no such sound file")
        }
        let samples = try read[path] ?? output.samples(ofFile: path)
        read[path] = samples
        return samples
    }
}

/// The folders that may contain the sounds of a pattern, including their subfolders. A pattern may
/// come from an untrusted source, and must not be able to detect or read other files.
struct SoundFolders {
    private let folders: [String]

    /// Creates the list of folders: the folder of an AHAP file, and the folder of the program's
    /// bundle if the bundle contains the file. A pattern that was not read from a file uses the
    /// folder of the bundle and the current folder.
    init(beside file: URL?) {
        let bundle = Bundle.main.resourceURL.flatMap { realPath(of: $0.path) }
        guard let file else {
            folders = [bundle, realPath(of: ".")].compactMap(\.self)
            return
        }
        let own = realPath(of: file.deletingLastPathComponent().path)
        folders = [own, bundle].compactMap(\.self).filter { folder in
            own.map { $0 == folder || Self.isInside($0, folder) } ?? false
        }
    }

    /// Returns the path of a sound with a name, whether or not the file exists.
    ///
    /// - Throws: `HapticError` for a name that leads out of the folders.
    func path(of name: String) throws -> String {
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            throw HapticError(
                .invalidAudioResource,
                "\(name): a sound must be in the folder of its pattern or below; copy the sound "
                    + "there, and give its path without a leading / and without ..")
        }
        let paths = folders.map { $0 + "/" + name }
        guard let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            return paths.first ?? name
        }
        guard let real = realPath(of: path), folders.contains(where: { Self.isInside(real, $0) })
        else {
            throw HapticError(
                .invalidAudioResource,
                "\(path): the link points outside the folder of its pattern; copy the sound into "
                    + "that folder")
        }
        return path
    }

    private static func isInside(_ path: String, _ folder: String) -> Bool {
        path.hasPrefix(folder == "/" ? folder : folder + "/")
    }
}

extension HapticError {
    /// The error of an audio-custom event that names no sound.
    static let soundWithoutName = HapticError(
        .invalidAudioResource,
        "an AudioCustom event needs \(CHHapticPattern.Key.eventWaveformPath)")

    /// Creates the error of a sound that cannot be read.
    fileprivate init(sound error: any Error, named event: HapticEvent, in file: URL?) {
        let position = event.location.map { "\($0)" }
        let location = [file?.path, position].compactMap(\.self).joined(separator: ":")
        let problem = (error as? HapticError)?.message ?? "\(error)"
        self.init(
            (error as? HapticError)?.code ?? .invalidAudioResource,
            location.isEmpty ? problem : "\(location): \(problem)")
    }
}
