// A plug-in for a game engine that uses the haptics of a controller and returns handles to the
// objects that it creates. The plug-in stores its players as `Unmanaged<AnyObject>`, because a
// protocol is not a class type without Objective-C.

import HapticBridge
import PlatformFeedback

private func retained(_ object: AnyObject) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(object).toOpaque()
}

private func engine(of haptics: GCDeviceHaptics) -> UnsafeMutableRawPointer? {
    guard haptics.supportedLocalities.contains(.default) else { return nil }
    guard let engine = haptics.createEngine(withLocality: .default) else { return nil }
    return retained(engine)
}

private func player(
    _ handle: UnsafeMutableRawPointer, _ text: String
) -> UnsafeMutableRawPointer? {
    let engine = Unmanaged<CHHapticEngine>.fromOpaque(handle).takeUnretainedValue()
    guard
        let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
        let dictionary = json as? [String: Any],
        let pattern = try? CHHapticPattern(dictionary: dictionary),
        let player = try? engine.makeAdvancedPlayer(with: pattern)
    else { return nil }
    return retained(player)
}

private func start(_ handle: UnsafeMutableRawPointer) throws {
    let object = Unmanaged<AnyObject>.fromOpaque(handle).takeUnretainedValue()
    try (object as! CHHapticAdvancedPatternPlayer).start(atTime: CHHapticTimeImmediate)
}

private func prepare(_ generators: [UIFeedbackGenerator]) {
    for generator in generators { generator.prepare() }
}

func gameEnginePlugin() throws {
    guard let engineHandle = engine(of: HapticDevice.automatic) else { return }
    let engine = Unmanaged<CHHapticEngine>.fromOpaque(engineHandle).takeUnretainedValue()
    try engine.start()
    guard let playerHandle = player(engineHandle, ahap(intensity: 0.8)) else { return }
    try start(playerHandle)
    rest(0.3)
    let event = CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.4)],
        relativeTime: 0, duration: TimeInterval(GCHapticDurationInfinite))
    let rumble = try engine.makePlayer(with: CHHapticPattern(events: [event], parameters: []))
    try rumble.start(atTime: CHHapticTimeImmediate)
    rest(0.2)
    try rumble.stop(atTime: CHHapticTimeImmediate)
    rest(0.1)
    prepare([UISelectionFeedbackGenerator(), UINotificationFeedbackGenerator()])
    Unmanaged<AnyObject>.fromOpaque(playerHandle).release()
    Unmanaged<CHHapticEngine>.fromOpaque(engineHandle).release()
}
