// A bridge to another language that passes options, keys and dictionaries as Foundation types.

import HapticBridge

private func keys(_ dictionary: NSDictionary) -> [CHHapticPattern.Key: Any] {
    var keys: [CHHapticPattern.Key: Any] = [:]
    for (key, value) in dictionary {
        keys[NSString(string: "\(key)") as CHHapticPattern.Key] = value
    }
    return keys
}

func opaqueBridge() throws {
    let engine = try CHHapticEngine()
    engine.playsAudioOnly = false
    engine.isMutedForHaptics = false
    try engine.start()
    let folder = try bundle(["click.wav": "RIFF"])
    let options: [CHHapticAudioResourceKey: Any] = [
        CHHapticAudioResourceKeyUseVolumeEnvelope as CHHapticAudioResourceKey: true,
        CHHapticAudioResourceKeyLoopEnabled as CHHapticAudioResourceKey: false,
    ]
    let sound = try engine.registerAudioResource(
        folder.appendingPathComponent("click.wav"), options: options)
    let click = CHHapticEvent(audioResourceID: sound, parameters: [], relativeTime: 0)
    let tap = CHHapticEvent(
        eventType: .hapticTransient,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.6)],
        relativeTime: 0)
    try engine.makePlayer(with: CHHapticPattern(events: [click, tap], parameters: []))
        .start(atTime: 0)
    rest(0.3)

    let object = try JSONSerialization.jsonObject(with: Data(ahap(intensity: 0.8).utf8))
    guard let dictionary = object as? [String: Any] else { return }
    let pattern = try CHHapticPattern(dictionary: keys(dictionary as NSDictionary))
    try engine.makePlayer(with: pattern).start(atTime: 0)
    rest(0.3)
    let exported = try JSONSerialization.data(
        withJSONObject: try pattern.exportDictionary() as NSDictionary)
    try engine.playPattern(from: exported)
    rest(0.3)
    try engine.unregisterAudioResource(sound)
}
