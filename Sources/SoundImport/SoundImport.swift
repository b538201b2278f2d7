// SoundImport: a sound becomes a pattern. Blows become taps, the rest a level.

import AHAP
import HapticPatterns
import JSONText
import PatternFormats

/// The import of one sound.
public struct SoundImport: Sendable {
    /// The samples of each channel, around 0, with a strength of 1 in the strongest stretch of any.
    private let channels: [[Float]]
    private let sampleRate: Int

    /// The sample rates that can be imported, in hertz.
    public static let sampleRates = 1_000...768_000
    /// The strength below which a sound is silence: 60 dB below full scale.
    private static let leastStrength: Float = 0.001

    /// Prepares the import of a sound. Samples that are no numbers count as silence.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel, full scale -1...1, all of one length. They are worked
    ///     on in place, if the caller gives them away.
    ///   - sampleRate: the number of samples per second, within ``sampleRates``.
    /// - Throws: `FormatError` if there is no sound in it.
    public init(channels: consuming [[Float]], sampleRate: Int) throws(FormatError) {
        let length = channels.first?.count ?? 0
        guard length > 0, channels.allSatisfy({ $0.count == length }) else {
            throw FormatError(
                at: nil as FormatError.Place?, "the sound has no samples",
                advice: "take another file")
        }
        guard Self.sampleRates.contains(sampleRate) else {
            throw FormatError(
                at: nil as FormatError.Place?,
                "a sample rate of \(sampleRate) Hz cannot be imported",
                advice: "resample the sound to 44100 or 48000 Hz")
        }
        for index in channels.indices { Self.centre(&channels[index]) }
        let window = FrameGrid(sampleRate: sampleRate).window
        let strongest = channels.map { Self.strength(of: $0, window: window) }.max() ?? 0
        guard strongest >= Self.leastStrength else {
            throw FormatError(
                at: nil as FormatError.Place?,
                "the sound is silent: it stays 60 dB below full scale",
                advice: "amplify it, or take another file")
        }
        for index in channels.indices { Self.multiply(&channels[index], by: 1 / strongest) }
        self.channels = channels
        self.sampleRate = sampleRate
    }

    /// Makes the pattern of the sound.
    ///
    /// - Returns: the pattern, and the settings with the style that was taken for ``Style/auto``.
    /// - Throws: `FormatError` if the sound lacks the channel, or if nothing of it would be felt.
    public func pattern(
        _ settings: ImportSettings = ImportSettings()
    ) throws(FormatError) -> (pattern: HapticPattern, settings: ImportSettings) {
        var settings = settings
        let features = SoundFeatures(
            try sound(of: settings.channel), grid: FrameGrid(sampleRate: sampleRate))
        if settings.style == .auto { settings.style = features.suggestedStyle }
        let rules = StyleRules(settings.style)
        let level = features.level(rules, gain: settings.gain)
        let signal = HapticSignal(
            intensity: level.intensity, sharpness: level.sharpness,
            taps: features.taps(rules, density: settings.density, gain: settings.gain))
        guard !signal.taps.isEmpty || !signal.pieces.isEmpty else {
            throw FormatError(
                at: nil as FormatError.Place?,
                "nothing of \(settings.channel.description) would be felt",
                advice: "raise the gain or the density, or take another style")
        }
        return (HapticPattern(signal), settings)
    }

    /// Returns the channels whose mean is the sound.
    private func sound(of channel: ImportSettings.Channel) throws(FormatError) -> [[Float]] {
        switch channel {
        case .mix: return mixed
        case .left, .right:
            guard channels.count >= 2 else {
                throw FormatError(
                    at: nil as FormatError.Place?,
                    "the sound has one channel, so there is no \(channel.rawValue) one",
                    advice: "import it without --stereo")
            }
            return [channels[channel == .left ? 0 : 1]]
        }
    }

    /// All channels, or the strongest of them where they cancel each other.
    private var mixed: [[Float]] {
        guard channels.count > 1 else { return channels }
        let energies = channels.map { Self.energy(of: [$0]) }
        let strongest = energies.indices.max { energies[$0] < energies[$1] } ?? 0
        let kept = Self.energy(of: channels)
        return kept < Self.leastKept * energies[strongest] / Double(channels.count)
            ? [channels[strongest]] : channels
    }

    /// The part of its energy that a mean must keep: channels that have nothing in common keep all of
    /// it, those that are each other's opposite nothing.
    private static let leastKept = 0.1

    /// Returns the energy of the mean of channels.
    private static func energy(of channels: [[Float]]) -> Double {
        channels[0].indices.reduce(0) { energy, index in
            let mean = channels.mean(at: index)
            return energy + Double(mean) * Double(mean)
        }
    }

    /// Moves samples to around 0, within a range that their squares can be computed in. A microphone's
    /// offset is no sound, but would be as strong as one.
    private static func centre(_ samples: inout [Float]) {
        for index in samples.indices {
            samples[index] = samples[index].isFinite ? min(max(samples[index], -1e6), 1e6) : 0
        }
        let mean = Float(samples.reduce(0) { $0 + Double($1) } / Double(samples.count))
        for index in samples.indices { samples[index] -= mean }
    }

    private static func multiply(_ samples: inout [Float], by factor: Float) {
        for index in samples.indices { samples[index] *= factor }
    }

    /// Returns the greatest root mean square within a window.
    private static func strength(of samples: [Float], window: Int) -> Float {
        var greatest: Float = 0
        for start in stride(from: 0, to: samples.count, by: window / 2) {
            let part = samples[start..<min(start + window, samples.count)]
            let squares = part.reduce(0) { $0 + $1 * $1 }
            greatest = max(greatest, squares / Float(window))
        }
        return greatest.squareRoot()
    }
}

extension [[Float]] {
    /// Returns the mean of channels at a sample.
    func mean(at index: Int) -> Float {
        guard count > 1 else { return self[0][index] }
        return reduce(0) { $0 + $1[index] } / Float(count)
    }
}

extension SoundImport {
    /// Returns the document of a pattern that was imported, with the settings for doing it again.
    ///
    /// - Parameter name: the name of the sound.
    public static func document(
        of pattern: HapticPattern, settings: ImportSettings, name: String
    ) -> AHAPDocument {
        var document = AHAPDocument(of: pattern)
        document.metadata = .members(
            ("Description", .text("Imported from \(name)")),
            (ImportSettings.metadataKey, settings.json))
        return document
    }
}
