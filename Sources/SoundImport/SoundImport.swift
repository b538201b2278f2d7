// SoundImport: a sound becomes a pattern. Blows become taps, the rest a level.

import AHAP
import HapticFormats
import HapticPatterns
import JSONText
import PatternFormats

/// The import of one sound.
public struct SoundImport: Sendable {
    /// The samples of each channel, full scale -1...1.
    private let channels: [[Float]]
    private let sampleRate: Int
    /// The factor that makes the strongest stretch of any channel as strong as can be.
    private let scale: Float

    /// The sample rates that can be imported, in hertz.
    public static let sampleRates = 1_000...768_000
    /// The strength below which a sound is silence: 60 dB below full scale.
    private static let leastStrength: Float = 0.001

    /// Prepares the import of a sound. Samples that are no numbers count as silence.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel, full scale -1...1, all of one length.
    ///   - sampleRate: the number of samples per second, within ``sampleRates``.
    /// - Throws: `FormatError` if there is no sound in it.
    public init(channels: [[Float]], sampleRate: Int) throws(FormatError) {
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
        self.channels = channels.map(Self.centred)
        self.sampleRate = sampleRate
        let window = FrameGrid(sampleRate: sampleRate).window
        let strongest = self.channels.map { Self.strength(of: $0, window: window) }.max() ?? 0
        guard strongest >= Self.leastStrength else {
            throw FormatError(
                at: nil as FormatError.Place?,
                "the sound is silent: it stays 60 dB below full scale",
                advice: "amplify it, or take another file")
        }
        scale = 1 / strongest
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
            try samples(of: settings.channel), grid: FrameGrid(sampleRate: sampleRate))
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

    private func samples(of channel: ImportSettings.Channel) throws(FormatError) -> [Float] {
        switch channel {
        case .mix: return channels.count == 1 ? channels[0].map { $0 * scale } : mixed
        case .left, .right:
            guard channels.count >= 2 else {
                throw FormatError(
                    at: nil as FormatError.Place?,
                    "the sound has one channel, so there is no \(channel.rawValue) one",
                    advice: "import it without --stereo")
            }
            return channels[channel == .left ? 0 : 1].map { $0 * scale }
        }
    }

    /// The mean of all channels. Where they cancel each other, it is the strongest of them.
    private var mixed: [Float] {
        var mean = [Float](repeating: 0, count: channels[0].count)
        for channel in channels {
            for index in mean.indices { mean[index] += channel[index] * scale }
        }
        for index in mean.indices { mean[index] /= Float(channels.count) }
        let energies = channels.map { Self.energy(of: $0) * Double(scale) * Double(scale) }
        let strongest = energies.indices.max { energies[$0] < energies[$1] } ?? 0
        guard Self.energy(of: mean) < Self.leastKept * energies[strongest] / Double(channels.count)
        else { return mean }
        return channels[strongest].map { $0 * scale }
    }

    /// The part of its energy that a mean must keep: channels that have nothing in common keep all of
    /// it, those that are each other's opposite nothing.
    private static let leastKept = 0.1

    private static func energy(of samples: [Float]) -> Double {
        samples.reduce(0) { $0 + Double($1) * Double($1) }
    }

    /// Returns samples around 0, within a range that their squares can be computed in. A microphone's
    /// offset is no sound, but would be as strong as one.
    private static func centred(_ samples: [Float]) -> [Float] {
        let finite = samples.map { $0.isFinite ? min(max($0, -1e6), 1e6) : 0 }
        let mean = Float(finite.reduce(0) { $0 + Double($1) } / Double(finite.count))
        return finite.map { $0 - mean }
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
