// VibratorEventFormats: two formats with similar events: .he from RichTap, and the JSON format of
// HarmonyOS.

import HapticPatterns
import JSONText

/// The format `.he` from RichTap. Version 1 contains one list of events; version 2 contains several
/// lists, each with its start time.
final class RichTapHEFormat: PatternFormat {
    /// The name in options and messages.
    let name = "he"
    /// A short description.
    let summary = ".he 1 and 2 of RichTap"
    /// The file name extension.
    let fileExtension = "he"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = nil

    /// Returns whether a file is in this format. An AHAP file also contains a list `Pattern`, but
    /// the events of that list have different keys.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        guard root["PatternList"] == nil else { return true }
        guard case .array(let pattern)? = root["Pattern"]?.kind,
            case .object(let entry)? = pattern.first?.kind,
            case .object(let event)? = entry["Event"]?.kind, event["EventType"] == nil
        else { return false }
        if case .object? = event["Parameters"]?.kind { return true }
        return event["RelativeTime"] != nil
            || VibratorEventReader.types.contains { event["Type"]?.kind == .string($0) }
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let root = try JSONValue.read(bytes)
        try root.optionalFields("Metadata")?.checkVersion(in: 1...2)
        var reader = VibratorEventReader(time: "RelativeTime")
        guard root.has("PatternList") else {
            try reader.read(try root.array("Pattern"))
            return reader.pattern
        }
        for value in try root.array("PatternList") {
            let list = try JSONFields(value)
            try reader.read(
                try list.array("Pattern"), from: try list.time("AbsoluteTime", unit: 1_000))
        }
        return reader.pattern
    }
}

/// The JSON format for custom vibrations in HarmonyOS and OpenHarmony, with a list of events for
/// each motor.
final class HarmonyOSFormat: PatternFormat {
    /// The name in options and messages.
    let name = "harmonyos"
    /// A short description.
    let summary = "custom vibrations of HarmonyOS, as JSON"
    /// The file name extension.
    let fileExtension = "json"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = nil

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .json(let root) = content else { return false }
        return root["MetaData"] != nil && root["Channels"] != nil
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        let root = try JSONValue.read(bytes)
        try root.fields("MetaData").checkVersion(in: 1...1)
        var reader = VibratorEventReader(time: "StartTime")
        for value in try root.array("Channels") {
            let channel = try JSONFields(value)
            if let parameters = try channel.optionalFields("Parameters") {
                try reader.checkMotor(parameters)
            }
            try reader.read(try channel.optionalArray("Pattern"))
        }
        return reader.pattern
    }
}

extension JSONFields {
    /// Throws an error if the object has a `Version` that is not supported.
    fileprivate func checkVersion(in range: ClosedRange<Double>) throws(FormatError) {
        let version = try number("Version", in: 0...1e9, default: 1)
        guard range.contains(version) else {
            throw FormatError(
                at: value("Version")?.location,
                "this version is not supported; the latest supported version is "
                    + "\(Int(range.upperBound))",
                advice: "export the file as that version")
        }
    }
}
