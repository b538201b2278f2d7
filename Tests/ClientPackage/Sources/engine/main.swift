// Code shaped like Core Haptics' own articles, at top level: only the import differs.

import Foundation
import HapticBridge

guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else {
    print("no board")
    exit(0)
}

let engine = try CHHapticEngine()

engine.resetHandler = {
    print("Reset Handler: restarting the engine.")
    do {
        try engine.start()
    } catch {
        print("Failed to restart the engine: \(error)")
    }
}

engine.stoppedHandler = { reason in
    switch reason {
    case .audioSessionInterrupt: print("Audio session interrupt")
    case .applicationSuspended: print("Application suspended")
    case .idleTimeout: print("Idle timeout")
    case .notifyWhenFinished: print("Finished")
    case .systemError: print("System error")
    case .engineDestroyed: print("Engine destroyed")
    case .gameControllerDisconnect: print("Disconnected")
    @unknown default: print("Unknown reason")
    }
}

do {
    try engine.start()
} catch let error as CHHapticError {
    print("The engine did not start: \(error)")
    exit(1)
}

// A single tap.
let intensity = CHHapticEventParameter(parameterID: .hapticIntensity, value: 1.0)
let sharpness = CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.5)
let tap = CHHapticEvent(
    eventType: .hapticTransient, parameters: [intensity, sharpness], relativeTime: 0.1, duration: 10
)
let pattern = try CHHapticPattern(events: [tap], parameters: [])
let player = try engine.makePlayer(with: pattern)
try player.start(atTime: CHHapticTimeImmediate)

// A dictionary.
let hapticDict: [CHHapticPattern.Key: Any] = [
    CHHapticPattern.Key.pattern: [
        [
            CHHapticPattern.Key.event: [
                CHHapticPattern.Key.eventType: CHHapticEvent.EventType.hapticTransient,
                CHHapticPattern.Key.time: 0.001,
                CHHapticPattern.Key.eventDuration: 1.0,
            ]
        ]
    ]
]
try engine.makePlayer(with: CHHapticPattern(dictionary: hapticDict))
    .start(atTime: engine.currentTime + 0.2)

// Changing while playing.
let continuous = CHHapticEvent(
    eventType: .hapticContinuous, parameters: [intensity, sharpness], relativeTime: 0, duration: 0.2
)
let advanced = try engine.makeAdvancedPlayer(
    with: CHHapticPattern(events: [continuous], parameters: []))
advanced.loopEnabled = true
advanced.completionHandler = { _ in print("The player is over.") }
try advanced.start(atTime: CHHapticTimeImmediate)
let dynamic = CHHapticDynamicParameter(
    parameterID: .hapticIntensityControl, value: 0.4, relativeTime: 0)
try advanced.sendParameters([dynamic], atTime: CHHapticTimeImmediate)
try advanced.stop(atTime: engine.currentTime + 0.5)

let isOver = DispatchSemaphore(value: 0)
engine.notifyWhenPlayersFinished { error in
    isOver.signal()
    return .stopEngine
}
isOver.wait()
engine.stop(completionHandler: nil)
print("done")
