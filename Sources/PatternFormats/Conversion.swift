// Conversion: a pattern written in another format, and the features that are lost in that format.

import HapticCompiler
import HapticPatterns

/// A pattern that is written in another format.
public struct Conversion: Sendable {
    /// The bytes of the file.
    public var bytes: [UInt8]
    /// The losses from reading the source, followed by the differences between the pattern and the
    /// written file. To find these differences, the written file is read again.
    public var losses: [FormatLoss]

    /// Writes a pattern in a format, reads the written file, and compares it with the pattern.
    public init(
        _ source: ReadPattern, to format: any WritablePatternFormat, law: IntensityLaw? = nil
    ) throws(FormatError) {
        let law = law ?? format.intensityLaw ?? .linear
        bytes = try format.write(source.pattern, law: law)
        let again = try Self.read(bytes, as: format, law)
        losses = source.losses
        if format.name != "ahap" { losses += Self.sounds(of: source.pattern, again) }
        losses += PatternDifference(source.pattern, again).losses
    }

    /// Reads a written file. Errors have no location, because the user has not seen the written
    /// file.
    private static func read(
        _ bytes: [UInt8], as format: any WritablePatternFormat, _ law: IntensityLaw
    ) throws(FormatError) -> HapticPattern {
        do throws(FormatError) {
            return try format.read(bytes, law: law).pattern
        } catch {
            throw FormatError(
                rule: error.rule,
                "the format cannot contain this pattern: \(error.message)",
                advice: "shorten the pattern, or convert it to a different format")
        }
    }

    /// Returns a loss for each sound and each endless event, which only AHAP can represent.
    private static func sounds(of pattern: HapticPattern, _ again: HapticPattern) -> [FormatLoss] {
        pattern.events.enumerated().compactMap { index, event in
            if !event.type.isHaptic {
                return FormatLoss(
                    .notPlayed, event: index, time: event.time, at: event.location,
                    "the format cannot contain sounds")
            }
            guard event.isEndless else { return nil }
            return FormatLoss(
                .degraded, event: index, time: event.time, at: event.location,
                "the event plays until it is stopped; in the file, its duration is limited")
        }
    }
}
