// DocumentDecoder+Entries: reads the content of the entries of `Pattern` (events, parameters and
// curves) key by key.

import HapticPatterns
import JSONText

extension DocumentDecoder {
    /// Returns the event; nil if the event has an error, which this method has reported.
    mutating func event(from value: JSONValue) throws(AHAPError) -> AHAPDocument.Event? {
        let code = AHAPError.Code.badEventEntry
        let members = try members(of: value, "\"Event\"", code)
        var known: HapticEvent.EventType?
        do throws(AHAPError) {
            guard let type = members.last(where: { $0.key == AHAPKey.eventType.rawValue }) else {
                throw missing(.eventType, in: value, .invalidEventType)
            }
            known = try eventType(type)
        } catch {
            try report.record(error)
        }
        // An event of an unknown type is read as if it were a transient, so that further errors in
        // the event are found.
        var event = AHAPDocument.Event(known ?? .hapticTransient, location: location(of: value))
        for member in members {
            do { try read(member, into: &event, code) } catch { try report.record(error) }
        }
        return known == nil ? nil : event
    }

    private mutating func read(
        _ member: JSONObject.Member, into event: inout AHAPDocument.Event, _ code: AHAPError.Code
    ) throws(AHAPError) {
        switch AHAPKey(rawValue: member.key) {
        case .eventType: break
        case .time: event.time = try number(member, code)
        case .eventDuration: event.eventDuration = try number(member, code)
        case .eventParameters: event.eventParameters = try eventParameters(member)
        case .eventWaveformPath: event.eventWaveformPath = try string(member, code)
        case .eventWaveformUseVolumeEnvelope:
            event.eventWaveformUseVolumeEnvelope = try bool(member, code)
        case .eventWaveformLoopEnabled: event.eventWaveformLoopEnabled = try bool(member, code)
        default: try unknown(member, among: Self.eventKeys, code)
        }
    }

    private static let eventKeys: [AHAPKey] = [
        .eventType, .time, .eventDuration, .eventParameters, .eventWaveformPath,
        .eventWaveformUseVolumeEnvelope, .eventWaveformLoopEnabled,
    ]

    private mutating func eventType(
        _ member: JSONObject.Member
    ) throws(AHAPError) -> HapticEvent.EventType {
        let code = AHAPError.Code.invalidEventType
        if let type = try name(member, as: HapticEvent.EventType.self, code) { return type }
        let names = HapticEvent.EventType.allCases.map { $0.rawValue }
        let text = try string(member, code)
        throw AHAPError(
            code: code, rule: .unknownEventType, location: location(of: member.value),
            message: "\"\(text.excerpt)\" is not an event type",
            advice: Spelling.suggestion(for: text, among: names)?.text
                ?? "use \(names.joined(separator: ", "))")
    }

    private mutating func eventParameters(
        _ member: JSONObject.Member
    ) throws(AHAPError) -> [AHAPDocument.EventParameter] {
        var parameters: [AHAPDocument.EventParameter] = []
        for value in try elements(member, .badEventEntry) {
            do {
                if let parameter = try eventParameter(from: value) { parameters.append(parameter) }
            } catch {
                try report.record(error)
            }
        }
        return parameters
    }

    /// Returns the parameter; nil if the parameter's id is unknown and the parameter therefore has
    /// no effect.
    private mutating func eventParameter(
        from value: JSONValue
    ) throws(AHAPError) -> AHAPDocument.EventParameter? {
        let fields = try fields(
            of: value, "an event parameter", keys: [.parameterID, .parameterValue])
        guard let id = try id(fields.id, as: EventParameterID.self, in: value) else { return nil }
        return .init(id, fields.value, location: location(of: value))
    }

    /// Returns the parameter as an entry; an empty array if the parameter's id is unknown and the
    /// parameter therefore has no effect.
    mutating func parameter(from value: JSONValue) throws(AHAPError) -> [AHAPDocument.Entry] {
        let fields = try fields(
            of: value, "\"Parameter\"", keys: [.parameterID, .time, .parameterValue])
        guard let id = try id(fields.id, as: DynamicParameterID.self, in: value) else { return [] }
        return [
            .parameter(.init(id, time: fields.time, fields.value, location: location(of: value)))
        ]
    }

    /// Returns the curve as an entry; an empty array if the curve's id is unknown and the curve
    /// therefore has no effect.
    mutating func curve(from value: JSONValue) throws(AHAPError) -> [AHAPDocument.Entry] {
        let fields = try fields(
            of: value, "\"ParameterCurve\"", keys: [.parameterID, .time, .controlPoints])
        guard let id = try id(fields.id, as: DynamicParameterID.self, in: value) else { return [] }
        return [
            .parameterCurve(
                .init(
                    id, time: fields.time, controlPoints: fields.points,
                    location: location(of: value)))
        ]
    }

    private mutating func controlPoints(
        _ member: JSONObject.Member
    ) throws(AHAPError) -> [AHAPDocument.ControlPoint] {
        var points: [AHAPDocument.ControlPoint] = []
        let values = try elements(member, .badParameterEntry)
        try count(controlPoints: values)
        for value in values {
            let fields = try fields(of: value, "a control point", keys: [.time, .parameterValue])
            points.append(.init(time: fields.time, fields.value, location: location(of: value)))
        }
        return points
    }
}

extension DocumentDecoder {
    /// The fields that parameters, curves and control points have in common.
    private struct Fields {
        var id: JSONObject.Member?
        var time: AHAPDocument.Number?
        var value: AHAPDocument.Number?
        var points: [AHAPDocument.ControlPoint] = []
    }

    /// Reads the given fields of an object. Reports and ignores all other keys.
    private mutating func fields(
        of value: JSONValue, _ what: String, keys: [AHAPKey]
    ) throws(AHAPError) -> Fields {
        let code = AHAPError.Code.badParameterEntry
        var fields = Fields()
        for member in try members(of: value, what, code) {
            let key = AHAPKey(rawValue: member.key)
            switch key.flatMap({ keys.contains($0) ? $0 : nil }) {
            case .parameterID: fields.id = member
            case .parameterValue: fields.value = try number(member, code)
            case .time: fields.time = try number(member, code)
            case .controlPoints: fields.points = try controlPoints(member)
            default: try unknown(member, among: keys, code)
            }
        }
        return fields
    }

    /// Returns the parameter with the given id. If no parameter has the id, reports the id and
    /// returns nil.
    private mutating func id<Name>(
        _ member: JSONObject.Member?, as type: Name.Type, in value: JSONValue
    ) throws(AHAPError) -> Name? where Name: CaseIterable & RawRepresentable<String> {
        guard let member else { throw missing(.parameterID, in: value, .badParameterEntry) }
        let code = AHAPError.Code.invalidParameterType
        if let name = try name(member, as: type, code) { return name }
        let text = try string(member, code)
        if let misplaced = Spelling.misplaced(text, in: type) {
            try report.repair(
                .misplacedParameter, code, at: location(of: member.value), misplaced.message,
                advice: misplaced.advice, fix: nil)
            return nil
        }
        let advice = Spelling.advice(forID: text, among: type.allCases.map { $0.rawValue })
        try report.repair(
            .unknownParameterID, code, at: location(of: member.value),
            "\"\(text.excerpt)\" is not a parameter id and is ignored", advice: advice.text,
            fix: advice.isName ? nil : .removeOwner)
        return nil
    }
}
