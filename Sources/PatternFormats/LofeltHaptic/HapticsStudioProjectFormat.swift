// HapticsStudioProjectFormat: .hasp, the project format of Meta Haptics Studio.

import JSONText

/// The format `.hasp`: a project of clips. Each clip contains a complete `.haptic` file.
final class HapticsStudioProjectFormat: PatternFormat {
    /// The name in options and messages.
    let name = "hasp"
    /// A short description.
    let summary = ".hasp projects of Meta Haptics Studio"
    /// The file name extension.
    let fileExtension = "hasp"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw = LofeltHapticFormat().intensityLaw

    /// The maximum number of clips that a message names.
    private static let namedClips = 8

    /// Returns whether a file is in this format. A project without clips is recognized by its
    /// version, so that the error can give the reason for its rejection.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content, root["version"] != nil, root["signals"] == nil else {
            return false
        }
        if case .array? = root["clips"]?.kind { return true }
        guard case .object(let version)? = root["version"]?.kind,
            case .number(let major)? = version["major"]?.kind
        else { return false }
        return Double(major) == 2 && root["Pattern"] == nil
    }

    /// Reads the bytes of a project with a single clip.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let clips = try clips(of: bytes)
        guard clips.count == 1 else {
            let names = clips.prefix(Self.namedClips).map { "\"\($0.name.asNameOfStranger)\"" }
            let others = clips.count > names.count ? ["…"] : []
            throw FormatError(
                at: .text(SourceLocation(line: 1, column: 1)),
                "a project of Meta Haptics Studio with \(clips.count) clips"
                    + (clips.isEmpty ? "" : ": " + (names + others).joined(separator: ", ")),
                advice: clips.isEmpty
                    ? "add a clip in Meta Haptics Studio, and save the project again"
                    : "`bridge convert` writes a file for each clip; use one of these files")
        }
        return try clips[0].read(law: law)
    }

    /// Returns the clips of a project.
    func clips(of bytes: [UInt8]) throws(FormatError) -> [ProjectClip] {
        var clips: [ProjectClip] = []
        for value in try JSONValue.read(bytes).array("clips") {
            clips.append(try ProjectClip(JSONFields(value)))
        }
        return clips
    }
}

/// A clip in a Meta Haptics Studio project.
public struct ProjectClip: Sendable {
    /// The name of the clip; empty if the clip has no name.
    public let name: String
    private let haptic: JSONFields

    fileprivate init(_ clip: JSONFields) throws(FormatError) {
        name = try clip.string("name") ?? ""
        haptic = try clip.fields("haptic")
    }

    /// Reads the pattern of the clip.
    ///
    /// - Parameter law: the relation between amplitude and intensity; nil to use the relation that
    ///   the format defines.
    public func read(law: IntensityLaw? = nil) throws(FormatError) -> ReadPattern {
        var reader = LofeltHapticReader(
            law: law ?? HapticsStudioProjectFormat().intensityLaw ?? .sqrt)
        let start = haptic.location.map(FileLocation.text)
        do throws(FormatError) {
            return try reader.read(haptic).checked(at: start)
        } catch {
            throw error.within("the clip \"\(name.asNameOfStranger)\"")
        }
    }
}
