// AHAP as `Codable` types, which are converted to JSON and then to a pattern.

import HapticBridge

private struct AHAPFile: Codable {
    struct Parameter: Codable {
        var id: String
        var value: Double
        enum CodingKeys: String, CodingKey {
            case id = "ParameterID"
            case value = "ParameterValue"
        }
    }
    struct Event: Codable {
        var time: TimeInterval
        var type: String
        var duration: TimeInterval?
        var parameters: [Parameter]
        enum CodingKeys: String, CodingKey {
            case time = "Time"
            case type = "EventType"
            case duration = "EventDuration"
            case parameters = "EventParameters"
        }
    }
    struct Entry: Codable {
        var event: Event
        enum CodingKeys: String, CodingKey { case event = "Event" }
    }
    var version = 1.0
    var pattern: [Entry]
    enum CodingKeys: String, CodingKey {
        case version = "Version"
        case pattern = "Pattern"
    }

    func chHapticPattern() throws -> CHHapticPattern {
        let data = try JSONEncoder().encode(self)
        let dictionary = try JSONSerialization.jsonObject(with: data) as! [String: Any]
        return try CHHapticPattern(dictionary: dictionary)
    }
}

func codablePattern() throws {
    let intensity = AHAPFile.Parameter(
        id: CHHapticEvent.ParameterID.hapticIntensity.rawValue, value: 0.6)
    let event = AHAPFile.Event(
        time: 0, type: CHHapticEvent.EventType.hapticContinuous.rawValue, duration: 0.1,
        parameters: [intensity])
    let engine = try CHHapticEngine()
    engine.start { error in
        if let error { print(error) }
    }
    rest(0.3)
    let pattern = try AHAPFile(pattern: [.init(event: event)]).chHapticPattern()
    try engine.makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
    rest(0.3)
    // The export contains the original values.
    let exported = try pattern.exportDictionary() as NSDictionary
    let data = try JSONSerialization.data(withJSONObject: exported)
    let again = try JSONDecoder().decode(AHAPFile.self, from: data)
    try engine.makePlayer(with: again.chHapticPattern()).start(atTime: CHHapticTimeImmediate)
    rest(0.3)
}
