// A package of typed patterns, whose tests inspect exported dictionaries.

import HapticBridge

private struct Haptic {
    var events: [CHHapticEvent]
    var changes: [CHHapticDynamicParameter] = []

    func pattern() throws -> CHHapticPattern {
        try CHHapticPattern(events: events, parameters: changes)
    }
}

private final class HapticPlayer {
    private let engine: CHHapticEngine
    private(set) var restarts = 0

    init() throws {
        engine = try CHHapticEngine()
        engine.resetHandler = { [weak self] in
            self?.restarts += 1
            try? self?.engine.start()
        }
    }

    func play(_ haptic: Haptic) throws {
        try engine.start()
        try engine.makePlayer(with: haptic.pattern()).start(atTime: CHHapticTimeImmediate)
    }
}

private func check(_ pattern: CHHapticPattern) throws {
    let dictionary = try pattern.exportDictionary()
    let entries = dictionary[.pattern] as! [[CHHapticPattern.Key: Any]]
    let event = entries[0][.event] as! [CHHapticPattern.Key: Any]
    precondition(event[.eventType] as! CHHapticEvent.EventType == .hapticTransient)
    precondition(event[.eventDuration] as! TimeInterval == 0)
    let parameters = event[.eventParameters] as! [[CHHapticPattern.Key: Any]]
    precondition(parameters[0][.parameterValue] as! Float == 0.8)
    let change = entries[1][.parameter] as! [CHHapticPattern.Key: Any]
    precondition(
        change[.parameterID] as! CHHapticDynamicParameter.ID == .hapticIntensityControl)
}

@MainActor
func typedPatterns() throws {
    let tap = CHHapticEvent(
        eventType: .hapticTransient,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.8)],
        relativeTime: 0)
    let change = CHHapticDynamicParameter(
        parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)
    let haptic = Haptic(events: [tap], changes: [change])
    try check(haptic.pattern())
    let player = try HapticPlayer()
    try player.play(haptic)
    rest(0.3)
    try player.play(Haptic(events: [tap]))
    rest(0.3)
}
