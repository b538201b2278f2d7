// A file that the program reads with `JSONSerialization` and plays in a loop. Programs for Apple
// platforms cast the result to `[CHHapticPattern.Key: Any]`. Foundation on Linux does not support
// this cast, so the program casts to `[String: Any]`.

import HapticBridge

private let text = """
    {"Version": 1.0, "Metadata": {"Project": "Loops"}, "Pattern": [
    {"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": 1.0}]}}]}
    """

func loopedJSON() throws {
    let url = try bundle(["loop.ahap": text]).appendingPathComponent("loop.ahap")
    let engine = try CHHapticEngine()
    try engine.start()
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: url), options: [])
    guard let dictionary = object as? [String: Any] else { return }
    let pattern = try CHHapticPattern(dictionary: dictionary)
    let player = try engine.makeAdvancedPlayer(with: pattern)
    player.loopEnabled = true
    player.loopEnd = 0.2
    let start = engine.currentTime + 0.1
    try player.start(atTime: start)
    try player.stop(atTime: start + 0.5)
    rest(0.8)
}
