// Patterns as dictionaries: Core Haptics' keys, the way in and the way out.

import AHAP

extension AHAP.HapticPattern {
    /// A key of a pattern's dictionary, spelled as in an AHAP file (`CHHapticPattern.h`).
    public struct Key: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public var rawValue: String

        /// Makes a key; one that is not among those below is ignored in a pattern.
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let version = Key(rawValue: "Version")
        public static let pattern = Key(rawValue: "Pattern")
        public static let event = Key(rawValue: "Event")
        public static let eventType = Key(rawValue: "EventType")
        public static let eventDuration = Key(rawValue: "EventDuration")
        public static let eventWaveformPath = Key(rawValue: "EventWaveformPath")
        public static let eventParameters = Key(rawValue: "EventParameters")
        public static let eventWaveformUseVolumeEnvelope = Key(
            rawValue: "EventWaveformUseVolumeEnvelope")
        public static let eventWaveformLoopEnabled = Key(rawValue: "EventWaveformLoopEnabled")
        public static let time = Key(rawValue: "Time")
        public static let parameter = Key(rawValue: "Parameter")
        public static let parameterID = Key(rawValue: "ParameterID")
        public static let parameterValue = Key(rawValue: "ParameterValue")
        public static let parameterCurve = Key(rawValue: "ParameterCurve")
        public static let parameterCurveControlPoints = Key(
            rawValue: "ParameterCurveControlPoints")

        public var description: String { rawValue }
    }

    /// The pattern as a dictionary from which an equal pattern can be made.
    ///
    /// Intensity and sharpness of haptic events are always in it, since other engines have other
    /// defaults.
    /// - Throws: ``HapticError`` `operationNotPermitted` if an event's sound was registered with an
    ///   engine: its number means nothing elsewhere.
    public func exportDictionary() throws -> [Key: Any] {
        if events.contains(where: { $0.audio?.resourceID != nil }) {
            throw HapticError(
                .operationNotPermitted, "a pattern with registered sounds cannot be exported")
        }
        var entries: [[Key: Any]] = []
        for event in events { entries.append([.event: event.dictionary]) }
        for parameter in parameters { entries.append([.parameter: parameter.dictionary]) }
        for curve in curves { entries.append([.parameterCurve: curve.dictionary]) }
        return [.version: 1.0, .pattern: entries]
    }
}

private typealias Key = AHAP.HapticPattern.Key

extension AHAP.HapticEvent {
    fileprivate var dictionary: [Key: Any] {
        var entry: [Key: Any] = [.eventType: type.rawValue, .time: relativeTime]
        if length != nil { entry[.eventDuration] = duration }
        let parameters = eventParameters.map { parameter -> [Key: Any] in
            [
                .parameterID: parameter.parameterID.rawValue,
                .parameterValue: self[parameter.parameterID],
            ]
        }
        if !parameters.isEmpty { entry[.eventParameters] = parameters }
        if let audio, let path = audio.waveformPath {
            entry[.eventWaveformPath] = path
            entry[.eventWaveformUseVolumeEnvelope] = audio.usesVolumeEnvelope
            entry[.eventWaveformLoopEnabled] = audio.isLoopEnabled
        }
        return entry
    }
}

extension AHAP.HapticDynamicParameter {
    fileprivate var dictionary: [Key: Any] {
        [.parameterID: id.rawValue, .time: relativeTime, .parameterValue: value]
    }
}

extension AHAP.HapticParameterCurve {
    fileprivate var dictionary: [Key: Any] {
        [
            .parameterID: id.rawValue, .time: relativeTime,
            .parameterCurveControlPoints: points.map { point -> [Key: Any] in
                [.time: point.relativeTime, .parameterValue: point.value]
            },
        ]
    }
}

extension JSONValue {
    /// A pattern's dictionary as what a file would hold.
    init(dictionary: [AHAP.HapticPattern.Key: Any]) throws {
        guard !dictionary.isEmpty else {
            throw HapticError(.invalidPatternDictionary, "an empty dictionary is no pattern")
        }
        try self.init(any: dictionary, of: "the pattern")
    }

    private init(any value: Any, of what: String) throws {
        if let members = Self.members(value) {
            self.init(
                .object(
                    JSONObject(
                        try members.map { key, value in
                            JSONObject.Member(key, try JSONValue(any: value, of: key))
                        })))
        } else if let elements = value as? [Any] {
            self.init(.array(try elements.map { try JSONValue(any: $0, of: what) }))
        } else if let kind = Self.scalar(value) {
            self.init(kind)
        } else {
            throw HapticError(
                .invalidPatternDictionary,
                "\(what) is a \(Swift.type(of: value)); numbers, strings, arrays and dictionaries "
                    + "can be part of a pattern")
        }
    }

    /// The members of a dictionary by their spelling, so that the order never changes.
    private static func members(_ value: Any) -> [(String, Any)]? {
        let members: [(String, Any)]
        if let dictionary = value as? [AHAP.HapticPattern.Key: Any] {
            members = dictionary.map { ($0.key.rawValue, $0.value) }
        } else if let dictionary = value as? [String: Any] {
            members = dictionary.map { ($0.key, $0.value) }
        } else {
            return nil
        }
        return members.sorted { $0.0 < $1.0 }
    }

    private static func scalar(_ value: Any) -> Kind? {
        switch value {
        case let text as String: .string(text)
        case let name as any RawRepresentable<String>: .string(name.rawValue)
        case let bool as Bool where Swift.type(of: value) == Bool.self: .bool(bool)
        case let number as Float: .number(text: "\(number)")
        case let number as Double: .number(text: "\(number)")
        case let number as any BinaryInteger: .number(text: "\(number)")
        case let number as any BinaryFloatingPoint: .number(text: "\(number)")
        default: nil
        }
    }
}
