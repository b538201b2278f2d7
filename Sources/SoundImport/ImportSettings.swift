// ImportSettings: the user's settings for importing a sound, which are stored in the imported file.

import JSONText
import PatternFormats

/// The settings for converting a sound to a pattern.
public struct ImportSettings: Sendable, Equatable {
    /// The kind of sound, which determines the features of the sound that become haptics.
    public enum Style: String, Sendable, CaseIterable {
        /// The style that the analysis of the sound suggests.
        case auto
        /// Impacts: each onset is a tap, and the sound after it is a soft level.
        case impacts
        /// Music: beats are taps, and the bass is a level.
        case music
        /// Speech: each syllable is a level, and only the hardest consonants are taps.
        case speech
        /// Ambience: the level changes slowly, and only prominent onsets are taps.
        case ambience
    }

    /// The channel of the sound that becomes a pattern.
    public enum Channel: String, Sendable, CaseIterable {
        /// The mean of all channels.
        case mix
        /// The first channel.
        case left
        /// The second channel.
        case right

        /// The name of the channel in messages.
        var description: String { self == .mix ? "the sound" : "the \(rawValue) channel" }
    }

    /// The style.
    public var style: Style
    /// The density of taps, from 0 (no taps) to 1.
    public var density: Double
    /// The factor for all intensities, from 0 to ``gainMax``. With a factor of 1, the loudest
    /// moment has full intensity.
    public var gain: Double
    /// The channel.
    public var channel: Channel

    /// The maximum ``gain``.
    public static let gainMax = 4.0

    /// Creates settings.
    public init(
        style: Style = .auto, density: Double = 0.5, gain: Double = 1, channel: Channel = .mix
    ) {
        self.style = style
        self.density = density
        self.gain = gain
        self.channel = channel
    }
}

// MARK: - Metadata

extension ImportSettings {
    /// The key in `Metadata` that contains the settings of the import.
    public static let metadataKey = "SoundImport"
    /// The version of the analysis. If a file was imported with a different version, the import
    /// cannot be repeated with the same settings.
    private static let version: Int64 = 1

    /// The settings as JSON, for the metadata of a file.
    public var json: JSONValue {
        .members(
            ("Version", .whole(Self.version)), ("Style", .text(style.rawValue)),
            ("Density", .number(density)), ("Gain", .number(gain)),
            ("Channel", .text(channel.rawValue)))
    }

    /// Reads the settings from the `Metadata` of a file.
    ///
    /// - Throws: `FormatError` if the file has no settings, or if the settings are from a different
    ///   version.
    public init(metadata: JSONValue?) throws(FormatError) {
        guard let metadata, let settings = try JSONFields(metadata).optionalFields(Self.metadataKey)
        else {
            throw FormatError(
                at: metadata?.location,
                "the Metadata of the file does not contain \"\(Self.metadataKey)\"",
                advice: "use a file that `bridge import` has written")
        }
        let version = try settings.number("Version", in: 0...1e9)
        guard version == Double(Self.version) else {
            throw FormatError(
                at: settings.value("Version")?.location,
                "the file was imported with version \(Int(version)) of the analysis, but the "
                    + "current version is \(Self.version)",
                advice: "import the sound again with options")
        }
        self.init(
            style: try settings.choice("Style"), density: try settings.number("Density", in: 0...1),
            gain: try settings.number("Gain", in: 0...Self.gainMax),
            channel: try settings.choice("Channel"))
    }
}

extension JSONFields {
    fileprivate func choice<Choice>(_ key: String) throws(FormatError) -> Choice
    where Choice: RawRepresentable<String> & CaseIterable {
        let text = try string(key) ?? ""
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw FormatError(
                at: value(key)?.location ?? location, "\"\(key)\" must be one of \(known)",
                advice: "write one of these values")
        }
        return choice
    }
}
