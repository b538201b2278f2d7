// `Decodable` subclasses of the five classes that patterns consist of.

import HapticBridge

private final class Parameter: CHHapticEventParameter, Decodable {
    private enum Keys: String, CodingKey { case id, value }

    required init(from decoder: Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        super.init(
            parameterID: .init(rawValue: try values.decode(String.self, forKey: .id)),
            value: try values.decode(Float.self, forKey: .value))
    }
}

private final class Event: CHHapticEvent, Decodable {
    private enum Keys: String, CodingKey { case type, time, duration, parameters }

    required init(from decoder: Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        super.init(
            eventType: .init(rawValue: try values.decode(String.self, forKey: .type)),
            parameters: try values.decode([Parameter].self, forKey: .parameters),
            relativeTime: try values.decode(TimeInterval.self, forKey: .time),
            duration: try values.decodeIfPresent(TimeInterval.self, forKey: .duration) ?? 0)
    }
}

private final class Change: CHHapticDynamicParameter, Decodable {
    private enum Keys: String, CodingKey { case id, value, time }

    required init(from decoder: Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        super.init(
            parameterID: .init(rawValue: try values.decode(String.self, forKey: .id)),
            value: try values.decode(Float.self, forKey: .value),
            relativeTime: try values.decode(TimeInterval.self, forKey: .time))
    }
}

private final class Point: CHHapticParameterCurve.ControlPoint, Decodable {
    private enum Keys: String, CodingKey { case time, value }

    required init(from decoder: Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        super.init(
            relativeTime: try values.decode(TimeInterval.self, forKey: .time),
            value: try values.decode(Float.self, forKey: .value))
    }
}

private final class Curve: CHHapticParameterCurve, Decodable {
    private enum Keys: String, CodingKey { case id, time, points }

    required init(from decoder: Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        super.init(
            parameterID: .init(rawValue: try values.decode(String.self, forKey: .id)),
            controlPoints: try values.decode([Point].self, forKey: .points),
            relativeTime: try values.decode(TimeInterval.self, forKey: .time))
    }
}

private final class Pattern: CHHapticPattern, Decodable {
    private enum Keys: String, CodingKey { case events, changes, curves }

    required init(from decoder: Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        let events = try values.decode([Event].self, forKey: .events)
        if let curves = try values.decodeIfPresent([Curve].self, forKey: .curves) {
            try super.init(events: events, parameterCurves: curves)
        } else {
            try super.init(
                events: events, parameters: try values.decode([Change].self, forKey: .changes))
        }
    }
}

func decodableSubclasses() throws {
    let event = """
        {"type": "HapticContinuous", "time": 0, "duration": 0.1,
        "parameters": [{"id": "HapticIntensity", "value": 1}]}
        """
    let patterns = [
        """
        {"events": [\(event)],
        "changes": [{"id": "HapticIntensityControl", "value": 0.8, "time": 0}]}
        """,
        """
        {"events": [\(event)], "curves": [{"id": "HapticIntensityControl", "time": 0,
        "points": [{"time": 0, "value": 0.4}]}]}
        """,
    ]
    let engine = try CHHapticEngine()
    try engine.start()
    for text in patterns {
        let pattern = try JSONDecoder().decode(Pattern.self, from: Data(text.utf8))
        try engine.makePlayer(with: pattern).start(atTime: 0)
        rest(0.3)
    }
}
