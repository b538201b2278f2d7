// A module that receives patterns and parameters as JSON. The names in the JSON are the raw values
// of constants.

import HapticBridge

private struct ParameterRecord: Decodable {
    var parameterID: String
    var value: Float
    var relativeTime: TimeInterval

    var parameter: CHHapticDynamicParameter {
        CHHapticDynamicParameter(
            parameterID: CHHapticDynamicParameter.ID(rawValue: parameterID), value: value,
            relativeTime: relativeTime)
    }
}

private final class Player {
    private let engine: CHHapticEngine
    private let player: CHHapticAdvancedPatternPlayer

    init(_ text: String) throws {
        engine = try CHHapticEngine(audioSession: nil)
        try engine.start()
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as! [String: Any]
        let keys = Dictionary(
            uniqueKeysWithValues: json.map { (CHHapticPattern.Key(rawValue: $0), $1) })
        player = try engine.makeAdvancedPlayer(with: CHHapticPattern(dictionary: keys))
    }

    func send(_ text: String) throws {
        let record = try JSONDecoder().decode(ParameterRecord.self, from: Data(text.utf8))
        try player.sendParameters([record.parameter], atTime: 0)
    }

    func schedule(_ points: [[Double]]) throws {
        let curve = CHHapticParameterCurve(
            parameterID: CHHapticDynamicParameter.ID(rawValue: "HapticIntensityControl"),
            controlPoints: points.map { .init(relativeTime: $0[0], value: Float($0[1])) },
            relativeTime: 0)
        try player.scheduleParameterCurve(curve, atTime: 0)
    }

    func start() throws { try player.start(atTime: CHHapticTimeImmediate) }
}

func expoModule() throws {
    let player = try Player(ahap(intensity: 1, duration: 0.5))
    try player.start()
    rest(0.1)
    try player.send(
        #"{"parameterID": "HapticIntensityControl", "value": 0.6, "relativeTime": 0}"#)
    rest(0.1)
    try player.schedule([[0, 0.2]])
    rest(0.5)
    do {
        try player.send(#"{"parameterID": "Volume", "value": 0.6, "relativeTime": 0}"#)
    } catch CHHapticError.invalidParameterType {
        print("invalid parameter type")
    }
}
