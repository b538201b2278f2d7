// PatternBuilder: converts a document to a pattern: applies defaults and limits, and converts times
// (AHAP-doc).

import HapticPatterns

/// Converts the entries of a document to events, parameters and curves.
struct PatternBuilder {
    var report: Report
    private let curveTimes: CurveTimes

    /// The maximum time and duration, in seconds: one day.
    ///
    /// This project, not Core Haptics, defines the limit. The limit ensures that sums of times
    /// cannot overflow, and detects numbers with a wrong exponent.
    static let latestSecond = 86_400.0

    /// The shortest duration that is interpreted as endless, in seconds. To request an endless
    /// event, apps use infinity or the greatest finite `Float` or `Double`.
    private static let endlessSecond = Double(Float.greatestFiniteMagnitude)

    init(report: Report, curveTimes: CurveTimes) {
        self.report = report
        self.curveTimes = curveTimes
    }

    mutating func pattern(of document: AHAPDocument) throws(AHAPError) -> HapticPattern {
        var events: [HapticEvent] = []
        var parameters: [HapticDynamicParameter] = []
        var curves: [RawCurve] = []
        for entry in document.pattern {
            do {
                switch entry {
                case .event(let event): events.append(try self.event(event))
                case .parameter(let parameter): parameters.append(try self.parameter(parameter))
                case .parameterCurve(let curve):
                    if let raw = try rawCurve(curve) { curves.append(raw) }
                }
            } catch {
                try report.record(error)
            }
        }
        return HapticPattern(
            events: events, parameters: parameters,
            curves: try curveTimes.curves(from: curves, report: &report))
    }
}

// MARK: - Events

extension PatternBuilder {
    private mutating func event(_ event: AHAPDocument.Event) throws(AHAPError) -> HapticEvent {
        var built = HapticEvent(
            event.eventType, time: try microseconds(event.time, of: event.location, .event),
            audio: audio(of: event), location: event.location)
        if let duration = event.eventDuration, duration.value < Self.endlessSecond {
            built.length = try microseconds(duration, of: event.location, .duration)
        }
        var seen: Set<EventParameterID> = []
        for parameter in event.eventParameters {
            try set(parameter, of: &built)
            if !seen.insert(parameter.parameterID).inserted { reportDuplicate(parameter) }
        }
        return built
    }

    /// Returns the audio attributes of an event. If the event is not an audio event, its waveform
    /// path remains only in the document.
    private mutating func audio(of event: AHAPDocument.Event) -> AudioAttributes? {
        guard event.eventType == .audioCustom else {
            if event.eventWaveformPath != nil {
                report.note(
                    .notApplicable, at: event.location,
                    "EventWaveformPath has no effect on \(event.eventType.rawValue)",
                    advice: "remove it, or make the event AudioCustom")
            }
            return nil
        }
        return AudioAttributes(
            waveformPath: event.eventWaveformPath, resourceID: event.audioResourceID,
            usesVolumeEnvelope: event.eventWaveformUseVolumeEnvelope ?? true,
            isLoopEnabled: event.eventWaveformLoopEnabled ?? false)
    }

    private mutating func set(
        _ parameter: AHAPDocument.EventParameter, of event: inout HapticEvent
    ) throws(AHAPError) {
        let id = parameter.parameterID
        guard let defaultValue = id.defaultValue(for: event.type) else {
            reportNotApplicable(parameter, event.type)
            return
        }
        let value = try self.value(
            parameter.parameterValue, of: id.rawValue, in: id.range, default: defaultValue,
            at: parameter.location)
        event[id] = id == .sustained ? try sustained(value, at: parameter.parameterValue) : value
    }

    /// Rounds the value of Sustained to 0 or 1.
    private mutating func sustained(
        _ value: Double, at number: AHAPDocument.Number?
    ) throws(AHAPError) -> Double {
        let nearest: Double = value < 0.5 ? 0 : 1
        if nearest != value {
            try report.repair(
                .clampedValue, .badParameterEntry, at: number?.location,
                "Sustained is 0 or 1; \(value) is read as \(Int(nearest))",
                advice: "write \(Int(nearest))", fix: .replace("\(Int(nearest))"))
        }
        return nearest
    }

    private mutating func reportNotApplicable(
        _ parameter: AHAPDocument.EventParameter, _ type: HapticEvent.EventType
    ) {
        let name = parameter.parameterID.rawValue
        let isRamp = type == .hapticTransient && parameter.parameterID.isRamp
        report.note(
            isRamp ? .rampOnTransient : .notApplicable, at: parameter.location,
            "\(name) has no effect on \(type.rawValue)",
            advice: isRamp ? "remove it, or make the event HapticContinuous" : "remove it")
    }

    private mutating func reportDuplicate(_ parameter: AHAPDocument.EventParameter) {
        report.note(
            .duplicateParameter, at: parameter.location,
            "\(parameter.parameterID.rawValue) is given twice; the last one is used",
            advice: "remove one of the two")
    }
}

// MARK: - Parameters and curves

extension PatternBuilder {
    private mutating func parameter(
        _ parameter: AHAPDocument.Parameter
    ) throws(AHAPError) -> HapticDynamicParameter {
        let id = parameter.parameterID
        return HapticDynamicParameter(
            id, time: try microseconds(parameter.time, of: parameter.location, .parameter),
            value: try value(
                parameter.parameterValue, of: id.rawValue, in: id.range, default: id.defaultValue,
                at: parameter.location),
            location: parameter.location)
    }

    /// Returns the curve with times in microseconds; nil if the curve has no points and therefore
    /// no effect.
    private mutating func rawCurve(
        _ curve: AHAPDocument.ParameterCurve
    ) throws(AHAPError) -> RawCurve? {
        var points: [HapticParameterCurve.Point] = []
        for point in curve.controlPoints {
            if let built = try self.point(point, of: curve) { points.append(built) }
        }
        guard !points.isEmpty else {
            try report.repair(
                .emptyCurve, .badParameterEntry, at: curve.location,
                "a curve without control points is ignored", advice: "give it points or remove it",
                fix: .removeOwner)
            return nil
        }
        return RawCurve(
            id: curve.parameterID,
            time: try microseconds(curve.time, of: curve.location, .parameter),
            points: try sorted(points, of: curve), location: curve.location)
    }

    /// Returns the point with its time in microseconds; nil if the point's time is beyond the
    /// maximum. Some real files end a curve with a point at the greatest possible time. The line
    /// segment to such a point is practically constant, so the point can be omitted.
    private mutating func point(
        _ point: AHAPDocument.ControlPoint, of curve: AHAPDocument.ParameterCurve
    ) throws(AHAPError) -> HapticParameterCurve.Point? {
        let id = curve.parameterID
        if let time = point.time, time.value > Self.latestSecond {
            try report.repair(
                .unreachablePoint, .invalidTime, at: time.location ?? point.location,
                "a control point at \(time.value) s is never reached and is ignored",
                advice: "remove the point; the curve keeps its last value", fix: .removeOwner)
            return nil
        }
        return HapticParameterCurve.Point(
            time: try microseconds(point.time, of: point.location, .parameter),
            value: try value(
                point.parameterValue, of: id.rawValue, in: id.range, default: id.defaultValue,
                at: point.location))
    }

    private mutating func sorted(
        _ points: [HapticParameterCurve.Point], of curve: AHAPDocument.ParameterCurve
    ) throws(AHAPError) -> [HapticParameterCurve.Point] {
        let late = points.indices.dropFirst().first { points[$0].time < points[$0 - 1].time }
        guard let late else { return points }
        try report.repair(
            .unsortedCurve, .badParameterEntry, at: curve.controlPoints[late].location,
            "this control point is earlier than the preceding one; the points are sorted",
            advice: "write control points in order of time", fix: .sortPoints)
        return points.sorted { $0.time < $1.time }
    }
}
