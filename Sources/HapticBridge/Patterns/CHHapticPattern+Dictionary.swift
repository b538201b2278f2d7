// Patterns as dictionaries: Core Haptics' keys, the way in and the way out.

import AHAP
import Foundation

extension CHHapticPattern {
    /// A key of a pattern's dictionary, spelled as in an AHAP file (`CHHapticPattern.h`).
    public struct Key: HapticName {
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
    }

    /// The pattern as a dictionary from which the same pattern can be made: what was given, the rest
    /// of a time, a duration or a parameter's value by its default.
    ///
    /// Values can be cast as on Apple's systems: names to ``CHHapticEvent/EventType`` and its like, or
    /// to `String`; times to `TimeInterval`; parameter values to `Float`; the whole, `as NSDictionary`,
    /// is what `JSONSerialization` writes.
    ///
    /// - Throws: ``HapticError`` `operationNotPermitted` if an event's sound was registered with an
    ///   engine: its number means nothing elsewhere.
    public func exportDictionary() throws -> [Key: Any] {
        if value.events.contains(where: { $0.audio?.resourceID != nil }) {
            throw HapticError(
                .operationNotPermitted, "a pattern with registered sounds cannot be exported")
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
    /// A time or a duration, for Foundation.
    fileprivate var seconds: NSNumber { NSNumber(value: self?.value ?? 0) }
}

/// A value of a parameter: a `Float`, as apps cast it to one.
private func number(_ value: Double) -> NSNumber { NSNumber(value: Float(value)) }

extension JSONValue {
    /// A pattern's dictionary, with keys of either type, as what a file would hold.
    init(dictionary: [some Hashable: Any]) throws {
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

    /// Numbers and truth values of Swift's types are Foundation's, too.
    private static func scalar(_ number: NSNumber) -> Kind {
        switch String(cString: number.objCType) {
        case "c", "B": .bool(number.boolValue)
        case "f": .number(text: "\(number.floatValue)")
        default: .number(text: "\(number.doubleValue)")
        }
    }
}
