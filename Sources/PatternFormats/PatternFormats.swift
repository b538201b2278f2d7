// PatternFormats: the list of all formats. Each format has a folder and an entry in this list.

import AHAP
import HapticPatterns
import JSONText

/// The formats of pattern files that can be read, and the formats that can be written.
public enum PatternFormats {
    /// The readable formats, in the order in which they are tried. The last format accepts any
    /// file.
    public static let all: [any PatternFormat] = [
        HapticsStudioProjectFormat(), LofeltHapticFormat(), AndroidXMLFormat(),
        AndroidArraysFormat(), InterhapticsHapsFormat(), HJIFFormat(), HapticlabsHLAFormat(),
        HapticlabsArchiveFormat(), RichTapHEFormat(), HarmonyOSFormat(), MIDIFormat(), AHAPFormat(),
    ]

    /// Returns the format with the given name or file extension; nil if there is no such format.
    public static func named(_ name: String) -> (any PatternFormat)? {
        all.first { $0.name == name.lowercased() }
            ?? all.last { $0.fileExtension == name.lowercased() }
    }

    /// Detects the format of a file from its contents.
    public static func format(of bytes: [UInt8]) -> any PatternFormat {
        let content = content(of: bytes)
        return all.first { $0.recognizes(content) } ?? AHAPFormat()
    }

    /// Reads a file in any format. Before reading, checks the size of the file.
    ///
    /// - Parameter law: the relation between amplitude and intensity; nil to use the relation that
    ///   the format defines.
    public static func read(
        _ bytes: [UInt8], law: IntensityLaw? = nil
    ) throws(FormatError) -> ReadPattern {
        guard bytes.count <= FormatLimits.bytes else {
            throw FormatError(
                rule: .tooLarge,
                "the file has \(bytes.count) bytes; the limit is \(FormatLimits.bytes) bytes",
                advice: "shorten the file, or split it into several")
        }
        let format = format(of: bytes)
        let read = try format.read(bytes, law: law ?? format.intensityLaw ?? .linear)
        let isBinary = format.name == MIDIFormat().name
        return try read.checked(
            at: isBinary ? .byte(0) : .text(SourceLocation(line: 1, column: 1)))
    }

    private static func content(of bytes: [UInt8]) -> FormatContent {
        // The AHAP reader rejects the text, regardless of its format.
        guard TextEncoding.otherThanUTF8(bytes) == nil else { return .bytes(bytes[...]) }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if first == UInt8(ascii: "<") { return .markup }
        guard bytes.count <= FormatLimits.bytes, let value = try? JSONReader.read(bytes).value
        else { return .bytes(bytes[...]) }
        if case .object(let root) = value.kind { return .json(root) }
        return value.isListOfNumbers ? .numbers : .bytes(bytes[...])
    }
}

extension ReadPattern {
    /// Returns the pattern. Throws an error if the pattern contains no tap and no level. If the
    /// reason is that parts of the file were lost, the message contains the first losses.
    ///
    /// - Parameter start: the location of the error if no part was lost.
    func checked(at start: FileLocation?) throws(FormatError) -> ReadPattern {
        guard pattern.events.isEmpty else { return self }
        let message = "the file contains no perceptible tap or level"
        guard let first = losses.first else {
            throw FormatError(
                at: start, rule: .nothingPlays, message, advice: "add a tap or a level")
        }
        var reasons = [first.message]
        for loss in losses[1...].prefix(2) {
            reasons.append((loss.location.map { "\($0): " } ?? "") + loss.message)
        }
        if losses.count > 3 { reasons.append("and \(losses.count - 3) more") }
        throw FormatError(
            at: first.location ?? start, rule: .nothingPlays,
            message + ": " + reasons.joined(separator: "; "),
            advice: "correct these parts, or add a tap or a level")
    }
}
