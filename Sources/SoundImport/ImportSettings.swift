// ImportSettings: what a user chooses about an import. It is kept in the file that comes of it.

import JSONText
import PatternFormats

/// The choices for making a pattern of a sound.
public struct ImportSettings: Sendable, Equatable {
    /// The kind of sound, which decides what of it is felt.
    public enum Style: String, Sendable, CaseIterable {
        /// The style that the sound itself suggests.
        case auto
        /// Blows: each onset is a tap, and what rings after it is felt softly.
        case impacts
        /// Music: taps at the beats, and the bass in between.
        case music
        /// Speech: the syllables as they swell, and taps at the hardest consonants only.
        case speech
        /// Ambience: a slow level, and a tap where something stands out.
        case ambience
    }

    /// The part of the sound that becomes a pattern.
    public enum Channel: String, Sendable, CaseIterable {
        /// The mean of all channels.
        case mix
        /// The first channel.
        case left
        /// The second channel.
        case right

        /// The channel in words.
        var description: String { self == .mix ? "the sound" : "the \(rawValue) channel" }
    }

    /// The style.
    public var style: Style
    /// The readiness to make taps, from 0, which makes none, to 1.
    public var density: Double
    /// The factor on all intensities, 0 to ``gainMax``. At 1, the loudest instant has full intensity.
    public var gain: Double
    /// The channel.
    public var channel: Channel

    /// The greatest ``gain``.
    public static let gainMax = 4.0

    /// Makes settings.
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
    /// The key in `Metadata` under which a file has the settings that it was made with.
    public static let metadataKey = "SoundImport"
    /// The version of the analysis. Files of another one cannot be made again.
    private static let version: Int64 = 1

    /// The settings as they are kept in a file.
    public var json: JSONValue {
        .members(
            ("Version", .whole(Self.version)), ("Style", .text(style.rawValue)),
            ("Density", .number(density)), ("Gain", .number(gain)),
            ("Channel", .text(channel.rawValue)))
    }

    /// Reads the settings from the `Metadata` of a file.
    ///
    /// - Throws: `FormatError` if the file has none, or if they are not those of this version.
    public init(metadata: JSONValue?) throws(FormatError) {
        guard let metadata, let settings = try JSONFields(metadata).optionalFields(Self.metadataKey)
        else {
            throw FormatError(
                at: metadata?.location, "no \"\(Self.metadataKey)\" in the Metadata of the file",
                advice: "take a file that `bridge import` has written")
        }
        let version = try settings.number("Version", in: 0...1e9)
        guard version == Double(Self.version) else {
            throw FormatError(
                at: settings.value("Version")?.location,
                "the file was imported by another version of the analysis",
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
                at: value(key)?.location ?? location, "\"\(key)\" is none of \(known)",
                advice: "write one of them")
        }
        return choice
    }
}
