// SoundImport: converts a sound to a pattern. Onsets become taps, and the remaining sound becomes a
// level.

import AHAP
import HapticPatterns
import JSONText
import PatternFormats

/// Converts one sound to patterns.
public struct SoundImport: Sendable {
    /// The samples of each channel without offset, scaled so that the loudest frame of any channel
    /// has a root mean square of 1.
    private let channels: [[Float]]
    private let sampleRate: Int
    /// True if the channels contain the signal of an actuator instead of sound. Such channels are
    /// not scaled.
    private let isHaptic: Bool

    /// The sample rates that can be imported, in hertz.
    public static let sampleRates = 1_000...768_000
    /// The root mean square below which a sound is considered silent: 60 dB below full scale.
    private static let leastStrength: Float = 0.001

    /// Prepares the import of a sound. Samples that are not finite are replaced with 0.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel, with a full scale of -1...1. All channels must
    ///     have the same length. If the caller does not retain its copy, the samples are modified
    ///     in place.
    ///   - sampleRate: the number of samples per second, within ``sampleRates``.
    /// - Throws: `FormatError` if the sound is empty or silent, or if its sample rate is not
    ///   supported.
    public init(channels: consuming [[Float]], sampleRate: Int) throws(FormatError) {
        try Self.check(channels, sampleRate: sampleRate)
        for index in channels.indices { Self.centre(&channels[index]) }
        let window = FrameGrid(sampleRate: sampleRate).window
        let strongest = channels.map { Self.strength(of: $0, window: window) }.max() ?? 0
        guard strongest >= Self.leastStrength else {
            throw FormatError(
                "the sound is silent: it is more than 60 dB below full scale",
                advice: "amplify the sound, or use a different file")
        }
        for index in channels.indices { Self.multiply(&channels[index], by: 1 / strongest) }
        self.channels = channels
        self.sampleRate = sampleRate
        isHaptic = false
    }

    /// Prepares the import of channels that contain the signal of an actuator, whose amplitude
    /// becomes the level. The style and the density of the settings have no effect.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel, with a full scale of -1...1. All channels must
    ///     have the same length.
    ///   - sampleRate: the number of samples per second, within ``sampleRates``.
    /// - Throws: `FormatError` if there are no samples, or if the sample rate is not supported.
    public init(hapticChannels channels: [[Float]], sampleRate: Int) throws(FormatError) {
        try Self.check(channels, sampleRate: sampleRate)
        self.channels = channels
        self.sampleRate = sampleRate
        isHaptic = true
    }

    private static func check(
        _ channels: [[Float]], sampleRate: Int
    ) throws(FormatError) {
        let length = channels.first?.count ?? 0
        guard length > 0, channels.allSatisfy({ $0.count == length }) else {
            throw FormatError("the sound has no samples", advice: "use a different file")
        }
        guard sampleRates.contains(sampleRate) else {
            throw FormatError(
                "the sample rate is \(sampleRate) Hz; only \(sampleRates.lowerBound) to "
                    + "\(sampleRates.upperBound) Hz can be imported",
                advice: "resample the sound to 44100 or 48000 Hz")
        }
    }

    /// Converts the sound to a pattern.
    ///
    /// - Returns: the pattern, and the settings with the style that was selected for
    ///   ``Style/auto``; for haptic channels, the settings are unchanged.
    /// - Throws: `FormatError` if the sound does not have the selected channel, or if no part of
    ///   the pattern could be felt.
    public func pattern(
        _ settings: ImportSettings = ImportSettings()
    ) throws(FormatError) -> (pattern: HapticPattern, settings: ImportSettings) {
        var settings = settings
        let signal = try isHaptic ? hapticSignal(settings) : soundSignal(&settings)
        guard !signal.taps.isEmpty || !signal.pieces.isEmpty else {
            throw FormatError(
                "no part of \(settings.channel.description) would be felt",
                advice: "increase the gain or the density, or use a different style")
        }
        return (HapticPattern(signal), settings)
    }

    private func soundSignal(
        _ settings: inout ImportSettings
    ) throws(FormatError) -> HapticSignal {
        let features = SoundFeatures(
            try sound(of: settings.channel), grid: FrameGrid(sampleRate: sampleRate))
        if settings.style == .auto { settings.style = features.suggestedStyle }
        let rules = StyleRules(settings.style)
        let level = features.level(rules, gain: settings.gain)
        return HapticSignal(
            intensity: level.intensity, sharpness: level.sharpness,
            taps: features.taps(rules, density: settings.density, gain: settings.gain))
    }

    private func hapticSignal(_ settings: ImportSettings) throws(FormatError) -> HapticSignal {
        let channels = settings.channel == .mix ? channels : try sound(of: settings.channel)
        let envelope = AmplitudeEnvelope(of: channels, sampleRate: sampleRate)
        return HapticSignal(intensity: envelope.level(gain: settings.gain), sharpness: [])
    }

    /// Returns the channels whose mean is imported.
    private func sound(of channel: ImportSettings.Channel) throws(FormatError) -> [[Float]] {
        switch channel {
        case .mix: return mixed
        case .left, .right:
            guard channels.count >= 2 else {
                throw FormatError(
                    "the sound has one channel, so it has no \(channel.rawValue) channel",
                    advice: "import the sound without --stereo")
            }
            return [channels[channel == .left ? 0 : 1]]
        }
    }

    /// All channels or, if the channels cancel each other, only the strongest channel.
    private var mixed: [[Float]] {
        guard channels.count > 1 else { return channels }
        let energies = channels.map { Self.energy(of: [$0]) }
        let strongest = energies.indices.max { energies[$0] < energies[$1] } ?? 0
        let kept = Self.energy(of: channels)
        return kept < Self.leastKept * energies[strongest] / Double(channels.count)
            ? [channels[strongest]] : channels
    }

    /// The minimum fraction of the energy that must remain in the mean of the channels. If the
    /// channels are uncorrelated, all energy remains; if the channels have opposite polarity, no
    /// energy remains.
    private static let leastKept = 0.1

    /// Returns the energy of the mean of all channels.
    private static func energy(of channels: [[Float]]) -> Double {
        channels[0].indices.reduce(0) { energy, index in
            let mean = channels.mean(at: index)
            return energy + Double(mean) * Double(mean)
        }
    }

    /// Removes the offset of samples, which would otherwise count as loud sound, and limits the
    /// samples to a range in which their squares can be calculated.
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

    /// Returns the maximum of the root mean squares of all windows.
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
    /// Returns the mean of all channels at a sample.
    func mean(at index: Int) -> Float {
        guard count > 1 else { return self[0][index] }
        return reduce(0) { $0 + $1[index] } / Float(count)
    }
}

extension SoundImport {
    /// Returns the document of an imported pattern, with the settings that are needed to repeat the
    /// import.
    ///
    /// - Parameter name: the name of the sound.
    public static func document(
        of pattern: HapticPattern, settings: ImportSettings, name: String
    ) throws(FormatError) -> AHAPDocument {
        var document = try AHAPDocument(of: pattern)
        document.metadata = .members(
            ("Description", .text("Imported from \(name)")),
            (ImportSettings.metadataKey, settings.json))
        return document
    }
}
