// A module that creates events from dictionaries in another language. The names in the dictionaries
// are the raw values of constants.

import HapticBridge

private func events(_ descriptions: [[String: Any]]) -> [CHHapticEvent] {
    descriptions.map { description in
        let parameters = (description["parameters"] as? [[String: Any]] ?? []).map { parameter in
            CHHapticEventParameter(
                parameterID: CHHapticEvent.ParameterID(
                    rawValue: parameter["parameterID"] as! String),
                value: (parameter["value"] as! NSNumber).floatValue)
        }
        let type = CHHapticEvent.EventType(rawValue: description["eventType"] as! String)
        return CHHapticEvent(
            eventType: type, parameters: parameters,
            relativeTime: (description["relativeTime"] as! NSNumber).doubleValue,
            duration: (description["duration"] as? NSNumber)?.doubleValue ?? 0)
    }
}

func nativeModule() throws {
    let json = """
        [{"eventType": "HapticTransient", "relativeTime": 0,
          "parameters": [{"parameterID": "HapticIntensity", "value": 0.8}]},
         {"eventType": "HapticContinuous", "relativeTime": 0.2, "duration": 0.1,
          "parameters": [{"parameterID": "HapticIntensity", "value": 0.4}]}]
        """
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as! [[String: Any]]
    let engine: HapticBridge.CHHapticEngine = try HapticBridge.CHHapticEngine()
    try engine.start()
    let pattern = try HapticBridge.CHHapticPattern(events: events(object), parameters: [])
    let player = try engine.makePlayer(with: pattern)
    try player.start(atTime: HapticBridge.CHHapticTimeImmediate)
    rest(0.5)
    do {
        _ = try CHHapticPattern(
            events: events([["eventType": "Bang", "relativeTime": 0]]), parameters: [])
    } catch let error as CHHapticError where error.code == .invalidEventType {
        print("invalid event type")
    }
}
