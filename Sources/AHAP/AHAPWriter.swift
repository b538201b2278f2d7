// AHAPWriter: writes a document as the text of an AHAP file.

import HapticPatterns
import JSONText

/// Writes AHAP files as strict JSON. Apple's keys appear in a fixed order, and numbers do not
/// depend on the locale.
public enum AHAPWriter {
    /// Returns the text of a document. Reading the text returns an equal document.
    public static func text(
        of document: AHAPDocument, layout: JSONWriter.Layout = .indented
    ) -> String {
        JSONWriter.text(of: document.json, layout: layout)
    }
}

extension AHAPDocument {
    /// The document converted to a JSON value.
    public var json: JSONValue {
        .object(
            (.version, version?.json), (.metadata, metadata),
            (.pattern, .array(pattern.map { $0.json })))
    }
}

extension AHAPDocument.Number {
    fileprivate var json: JSONValue { .number(value) }
}

extension AHAPDocument.Entry {
    fileprivate var json: JSONValue {
        switch self {
        case .event(let event): .object((.event, event.json))
        case .parameter(let parameter): .object((.parameter, parameter.json))
        case .parameterCurve(let curve): .object((.parameterCurve, curve.json))
        }
    }
}

extension AHAPDocument.Event {
    fileprivate var json: JSONValue {
        .object(
            (.time, time?.json), (.eventType, .string(eventType.rawValue)),
            (.eventDuration, eventDuration?.json),
            (.eventWaveformPath, eventWaveformPath.map(JSONValue.string)),
            (.eventWaveformUseVolumeEnvelope, eventWaveformUseVolumeEnvelope.map(JSONValue.bool)),
            (.eventWaveformLoopEnabled, eventWaveformLoopEnabled.map(JSONValue.bool)),
            (
                .eventParameters,
                eventParameters.isEmpty ? nil : .array(eventParameters.map { $0.json })
            ))
    }
}

extension AHAPDocument.EventParameter {
    fileprivate var json: JSONValue {
        .object(
            (.parameterID, .string(parameterID.rawValue)), (.parameterValue, parameterValue?.json))
    }
}

extension AHAPDocument.Parameter {
    fileprivate var json: JSONValue {
        .object(
            (.parameterID, .string(parameterID.rawValue)), (.time, time?.json),
            (.parameterValue, parameterValue?.json))
    }
}

extension AHAPDocument.ParameterCurve {
    fileprivate var json: JSONValue {
        .object(
            (.parameterID, .string(parameterID.rawValue)), (.time, time?.json),
            (.controlPoints, .array(controlPoints.map { $0.json })))
    }
}

extension AHAPDocument.ControlPoint {
    fileprivate var json: JSONValue {
        .object((.time, time?.json), (.parameterValue, parameterValue?.json))
    }
}

extension JSONValue {
    fileprivate static func string(_ text: String) -> JSONValue { JSONValue(.string(text)) }
    fileprivate static func bool(_ bool: Bool) -> JSONValue { JSONValue(.bool(bool)) }
    fileprivate static func array(_ elements: [JSONValue]) -> JSONValue {
        JSONValue(.array(elements))
    }

    /// Returns an object that contains the given members except those whose value is nil.
    fileprivate static func object(_ members: (AHAPKey, JSONValue?)...) -> JSONValue {
        let present = members.compactMap { key, value in
            value.map { JSONObject.Member(key.rawValue, $0) }
        }
        return JSONValue(.object(JSONObject(present)))
    }
}
