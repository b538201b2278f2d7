// WirePattern: a pattern in the messages between processes, divided into short parts. The article
// ServerProtocol describes the parts.

import BoardEngine
import BridgeLink
import HapticPatterns

/// An event as an array of numbers. Trailing members that have their default values may be omitted.
///
/// A transient event is `[0, time, intensity, sharpness, duration]`. A continuous event is `[1,
/// time, duration, intensity, sharpness, attack, decay, release, sustained]`. `[2, time, duration]`
/// is an event that is not felt but contributes to the length of the pattern. Times are in
/// microseconds. A duration of -1 means that the event has no duration, and `sustained` is 1 or 0.
struct WireEvent: Codable, Equatable {
    var event: HapticEvent

    init(_ event: HapticEvent) { self.event = event }

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        let kind = try values.decode(Int.self)
        guard (0...2).contains(kind) else {
            throw DecodingError.dataCorruptedError(
                in: values, debugDescription: "\(kind) is not an event type; expected 0, 1 or 2")
        }
        let time = try values.decodeTime()
        func next<Value: Decodable>(_ fallback: Value) throws -> Value {
            values.isAtEnd ? fallback : try values.decode(Value.self)
        }
        func duration() throws -> Microseconds? {
            let length = values.isAtEnd ? -1 : try values.decodeTime()
            return length == -1 ? nil : length
        }
        switch kind {
        case 0:
            event = HapticEvent(
                .hapticTransient, time: time, intensity: try next(1), sharpness: try next(0.5))
            event.length = try duration()
        case 1:
            event = HapticEvent(
                .hapticContinuous, time: time, duration: try duration(), intensity: try next(1),
                sharpness: try next(0.5),
                envelope: Envelope(
                    attackTime: try next(0), decayTime: try next(0), releaseTime: try next(0),
                    sustained: try next(1) == 1))
        default: event = HapticEvent(.audioContinuous, time: time, duration: try duration())
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        switch event.type {
        case .hapticTransient:
            try values.encode(0)
            try values.encode(event.time)
            try values.encode(event.intensity)
            try values.encode(event.sharpness)
            if let length = event.length { try values.encode(length) }
        case .hapticContinuous:
            try values.encode(1)
            try values.encode(event.time)
            try values.encode(event.length ?? -1)
            try values.encode(event.intensity)
            try values.encode(event.sharpness)
            let envelope = event.envelope
            guard envelope != Envelope() else { return }
            try values.encode(envelope.attackTime)
            try values.encode(envelope.decayTime)
            try values.encode(envelope.releaseTime)
            try values.encode(envelope.sustained ? 1 : 0)
        case .audioContinuous, .audioCustom:
            try values.encode(2)
            try values.encode(event.time)
            if let length = event.length { try values.encode(length) }
        }
    }
}

/// A parameter: `[name, time, value]`, with the name that AHAP uses.
struct WireParameter: Codable, Equatable {
    var value: HapticDynamicParameter

    init(_ parameter: HapticDynamicParameter) { value = parameter }

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        value = HapticDynamicParameter(
            try values.decode(DynamicParameterID.self),
            time: try values.decodeTime(), value: try values.decode(Double.self))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(value.id)
        try values.encode(value.time)
        try values.encode(value.value)
    }
}

/// A control point: `[time, value]`.
struct WirePoint: Codable, Equatable {
    var point: HapticParameterCurve.Point

    init(_ point: HapticParameterCurve.Point) { self.point = point }

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        point = .init(
            time: try values.decodeTime(), value: try values.decode(Double.self))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(point.time)
        try values.encode(point.value)
    }
}

/// A curve: `[name, time, [[time, value], ...]]`. Control points from preceding `points` messages
/// come first.
struct WireCurve: Codable, Equatable {
    var id: DynamicParameterID
    var time: Microseconds
    var points: [WirePoint]

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        id = try values.decode(DynamicParameterID.self)
        time = try values.decodeTime()
        points = try values.decode([WirePoint].self)
    }

    init(_ id: DynamicParameterID, time: Microseconds, points: [WirePoint]) {
        (self.id, self.time, self.points) = (id, time, points)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(id)
        try values.encode(time)
        try values.encode(points)
    }
}

/// A pattern that is being assembled from parts.
struct WirePattern {
    private(set) var events: [HapticEvent] = []
    private(set) var parameters: [HapticDynamicParameter] = []
    private(set) var curves: [HapticParameterCurve] = []
    /// The control points received for the next curve.
    private var points: [HapticParameterCurve.Point] = []

    /// The maximum number of entries, or control points, in a message. The maximum ensures that no
    /// message exceeds ``MessageConnection/lengthMax``, regardless of the values.
    static let entriesOfPart = 250

    var pattern: HapticPattern {
        HapticPattern(events: events, parameters: parameters, curves: curves)
    }

    /// Adds the content of a message.
    mutating func add(_ message: ClientMessage) throws(WireError) {
        events += (message.events ?? []).map(\.event)
        parameters += (message.parameters ?? []).map(\.value)
        points += (message.points ?? []).map(\.point)
        for curve in message.curves ?? [] {
            curves.append(
                HapticParameterCurve(
                    curve.id, time: curve.time, points: points + curve.points.map(\.point)))
            points = []
        }
    }

    // MARK: Parts

    /// Returns the messages that transfer a pattern. Each message is created only when it is read.
    static func parts(
        of pattern: HapticPattern, for player: PlayerID
    ) -> AnySequence<ClientMessage> {
        func part(_ change: @escaping (inout ClientMessage) -> Void) -> ClientMessage {
            var message = ClientMessage(.pattern, player: player)
            message.more = true
            change(&message)
            return message
        }
        let events = pattern.events.ranges.lazy.map { range in
            part { $0.events = pattern.events[range].map(WireEvent.init) }
        }
        let parameters = pattern.parameters.ranges.lazy.map { range in
            part { $0.parameters = pattern.parameters[range].map(WireParameter.init) }
        }
        let curves = pattern.curves.lazy.flatMap { curve in
            parts(of: curve, .pattern, for: player)
        }
        return AnySequence(
            [AnySequence(events), AnySequence(parameters), AnySequence(curves)].joined())
    }

    /// Returns the messages for a curve that starts at a host time.
    static func parts(
        of curve: HapticParameterCurve, at time: HostTime, for player: PlayerID
    ) -> [ClientMessage] {
        var parts = Array(parts(of: curve, .curve, for: player))
        guard !parts.isEmpty else { return [] }
        parts[parts.endIndex - 1].time = time.microseconds
        parts[parts.endIndex - 1].more = nil
        return parts
    }

    /// Returns the messages for parameters whose times are relative to a host time.
    static func parts(
        of parameters: [HapticDynamicParameter], at time: HostTime, for player: PlayerID
    ) -> [ClientMessage] {
        parameters.ranges.map { range in
            var message = ClientMessage(.parameters, player: player)
            message.time = time.microseconds
            message.parameters = parameters[range].map(WireParameter.init)
            message.more = range.upperBound < parameters.count ? true : nil
            return message
        }
    }

    /// Returns the messages for a curve. The last message has the given type.
    private static func parts(
        of curve: HapticParameterCurve, _ kind: ClientMessage.Kind, for player: PlayerID
    ) -> some Sequence<ClientMessage> {
        curve.points.ranges.lazy.map { range in
            let isLast = range.upperBound == curve.points.count
            var message = ClientMessage(isLast ? kind : .points, player: player)
            message.more = true
            let points = curve.points[range].map(WirePoint.init)
            if isLast {
                message.curves = [WireCurve(curve.id, time: curve.time, points: points)]
            } else {
                message.points = points
            }
            return message
        }
    }
}

extension Array {
    /// The index ranges of the parts into which the array is divided for sending. An empty array
    /// has no parts.
    fileprivate var ranges: [Range<Int>] {
        stride(from: 0, to: count, by: WirePattern.entriesOfPart).map {
            $0..<Swift.min($0 + WirePattern.entriesOfPart, count)
        }
    }
}

extension UnkeyedDecodingContainer {
    /// Decodes a time, which must be an integer. The decoder of an integer would report a number with
    /// a fraction as invalid JSON, without its location.
    fileprivate mutating func decodeTime() throws -> Microseconds {
        let value = try decode(Double.self)
        guard let time = Microseconds(exactly: value) else {
            throw DecodingError.dataCorruptedError(
                in: self, debugDescription: "\(value) is not an integer number of microseconds")
        }
        return time
    }
}
