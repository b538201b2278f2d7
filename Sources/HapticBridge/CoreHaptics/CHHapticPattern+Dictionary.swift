// Conversion of patterns from and to dictionaries with Core Haptics' keys.

import AHAP
import Foundation
import HapticBoards
import JSONText

extension CHHapticPattern {
    /// A key in the dictionary form of a pattern, spelled as in an AHAP file (`CHHapticPattern.h`).
    public struct Key: HapticName {
        public var rawValue: String

        /// Creates a key. A pattern ignores keys that are not declared here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The key of the AHAP version number.
        public static let version = Key(rawValue: "Version")
        /// The key of the pattern's list of entries: events, parameters and parameter curves.
        public static let pattern = Key(rawValue: "Pattern")
        /// The key of an entry that is an event.
        public static let event = Key(rawValue: "Event")
        /// The key of an event's type.
        public static let eventType = Key(rawValue: "EventType")
        /// The key of an event's duration, in seconds.
        public static let eventDuration = Key(rawValue: "EventDuration")
        /// The key of the path of an audio event's sound file, relative to the AHAP file.
        public static let eventWaveformPath = Key(rawValue: "EventWaveformPath")
        /// The key of an event's list of parameters.
        public static let eventParameters = Key(rawValue: "EventParameters")
        /// The key of a Boolean option: true if the volume of a sound follows the envelope.
        public static let eventWaveformUseVolumeEnvelope = Key(
            rawValue: "EventWaveformUseVolumeEnvelope")
        /// The key of a Boolean option: true if a sound repeats.
        public static let eventWaveformLoopEnabled = Key(rawValue: "EventWaveformLoopEnabled")
        /// The key of the time of an entry or control point, in seconds.
        public static let time = Key(rawValue: "Time")
        /// The key of an entry that is a parameter.
        public static let parameter = Key(rawValue: "Parameter")
        /// The key of a parameter's id.
        public static let parameterID = Key(rawValue: "ParameterID")
        /// The key of a parameter's value.
        public static let parameterValue = Key(rawValue: "ParameterValue")
        /// The key of an entry that is a parameter curve.
        public static let parameterCurve = Key(rawValue: "ParameterCurve")
        /// The key of a parameter curve's list of control points.
        public static let parameterCurveControlPoints = Key(
            rawValue: "ParameterCurveControlPoints")
    }

    /// Returns the pattern as a dictionary from which an equal pattern can be created. The
    /// dictionary contains the original values of this pattern. For each time, duration and
    /// parameter value that was missing, the dictionary contains the default.
    ///
    /// Values can be cast as on Apple's systems: names to ``CHHapticEvent/EventType`` and similar
    /// types, or to `String`; times to `TimeInterval`; parameter values to `Float`.
    /// `JSONSerialization` can write the dictionary after a cast `as NSDictionary`.
    ///
    /// - Throws: ``HapticError`` `operationNotPermitted` if an event plays a registered sound,
    ///   because only the engine that registered a sound can find the sound by its number.
    public func exportDictionary() throws -> [Key: Any] {
        if value.events.contains(where: { $0.audio?.resourceID != nil }) {
            throw HapticError(
                .operationNotPermitted,
                "a pattern with registered sounds cannot be exported; use sound files")
        }
        let entries = document.pattern.map { entry -> [Key: Any] in
            switch entry {
            case .event(let event): [.event: event.dictionary]
            case .parameter(let parameter): [.parameter: parameter.dictionary]
            case .parameterCurve(let curve): [.parameterCurve: curve.dictionary]
            }
        }
        return [.version: NSNumber(value: document.version?.value ?? 1), .pattern: entries]
    }
}

private typealias Key = CHHapticPattern.Key

extension AHAPDocument.Event {
    fileprivate var dictionary: [Key: Any] {
        var entry: [Key: Any] = [
            .eventType: NSString(string: eventType.rawValue), .time: time.seconds,
            .eventDuration: eventDuration.seconds,
            .eventParameters: eventParameters.map { parameter -> [Key: Any] in
                let id = parameter.parameterID
                let value = parameter.parameterValue?.value ?? id.defaultValue(for: eventType) ?? 0
                return [
                    .parameterID: NSString(string: id.rawValue), .parameterValue: number(value),
                ]
            },
        ]
        entry[.eventWaveformPath] = eventWaveformPath.map(NSString.init(string:))
        entry[.eventWaveformUseVolumeEnvelope] =
            eventWaveformUseVolumeEnvelope.map(NSNumber.init(value:))
        entry[.eventWaveformLoopEnabled] = eventWaveformLoopEnabled.map(NSNumber.init(value:))
        return entry
    }
}

extension AHAPDocument.Parameter {
    fileprivate var dictionary: [Key: Any] {
        [
            .parameterID: NSString(string: parameterID.rawValue), .time: time.seconds,
            .parameterValue: number(parameterValue?.value ?? parameterID.defaultValue),
        ]
    }
}

extension AHAPDocument.ParameterCurve {
    fileprivate var dictionary: [Key: Any] {
        [
            .parameterID: NSString(string: parameterID.rawValue), .time: time.seconds,
            .parameterCurveControlPoints: controlPoints.map { point -> [Key: Any] in
                [
                    .time: point.time.seconds,
                    .parameterValue: number(
                        point.parameterValue?.value ?? parameterID.defaultValue),
                ]
            },
        ]
    }
}

extension AHAPDocument.Number? {
    /// The time or duration of an entry in seconds, as a Foundation number; 0 if the entry has
    /// none.
    fileprivate var seconds: NSNumber { NSNumber(value: self?.value ?? 0) }
}

/// Returns a parameter value as a number that contains a `Float`, because apps cast parameter
/// values to `Float`.
private func number(_ value: Double) -> NSNumber { NSNumber(value: Float(value)) }

extension JSONValue {
    /// Creates the JSON value of a pattern from a dictionary whose keys may have any type.
    init(dictionary: [some Hashable: Any]) throws(HapticError) {
        guard !dictionary.isEmpty else {
            throw HapticError(.invalidPatternDictionary, "the dictionary of the pattern is empty")
        }
        try self.init(any: dictionary, of: "the pattern")
    }

    private init(any value: Any, of what: String) throws(HapticError) {
        if let members = Self.members(value) {
            self.init(
                .object(
                    JSONObject(
                        try members.map { key, value throws(HapticError) in
                            JSONObject.Member(key, try JSONValue(any: value, of: key))
                        })))
        } else if let elements = value as? [Any] {
            self.init(
                .array(
                    try elements.map { element throws(HapticError) in
                        try JSONValue(any: element, of: what)
                    }))
        } else if let kind = Self.scalar(value) {
            self.init(kind)
        } else {
            throw HapticError(
                .invalidPatternDictionary,
                "\(what) is a \(Swift.type(of: value)); a pattern may contain only numbers, "
                    + "strings, arrays and dictionaries")
        }
    }

    /// Returns the members of a dictionary sorted by key, so that the order of the members is
    /// always the same; nil if the value is not a dictionary.
    private static func members(_ value: Any) -> [(String, Any)]? {
        let members: [(String, Any)]
        if let dictionary = value as? [CHHapticPattern.Key: Any] {
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
        case let number as NSNumber: scalar(number)
        case is NSNull: .null
        default: nil
        }
    }

    /// Returns a JSON number or Boolean. Values of Swift's own types are also passed to this
    /// function as `NSNumber`.
    private static func scalar(_ number: NSNumber) -> Kind {
        switch String(cString: number.objCType) {
        case "c", "B": .bool(number.boolValue)
        case "f": .number(text: "\(number.floatValue)")
        default: .number(text: "\(number.doubleValue)")
        }
    }
}
