// Top-level code that is modeled on Apple's articles about Core Haptics. Only the import differs.
// `make test` runs the program with a virtual board, which must be reset once, and checks the
// levels that the board has played.

import Foundation
import HapticBridge

guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else {
    do {
        _ = try CHHapticEngine()
    } catch let error as CHHapticError {
        print("No haptics: \(error.code.rawValue)")
    }
    exit(1)
}

// MARK: Prepare

let engine = try CHHapticEngine()
let hasRestarted = DispatchSemaphore(value: 0)
let hasStopped = DispatchSemaphore(value: 0)

engine.resetHandler = {
    print("Reset Handler: restarting the engine.")
    do {
        try engine.start()
    } catch {
        print("Failed to restart the engine: \(error)")
    }
    hasRestarted.signal()
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
    hasStopped.signal()
}

do {
    try engine.start()
} catch let error as CHHapticError {
    print("The engine did not start: \(error)")
    exit(1)
}

// MARK: A single tap

let intensity = CHHapticEventParameter(parameterID: .hapticIntensity, value: 1.0)
let sharpness = CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.5)
let tap = CHHapticEvent(
    eventType: .hapticTransient, parameters: [intensity, sharpness], relativeTime: 0.1, duration: 10
)
let pattern = try CHHapticPattern(events: [tap], parameters: [])
let player = try engine.makePlayer(with: pattern)
try player.start(atTime: CHHapticTimeImmediate)
Thread.sleep(forTimeInterval: 0.3)
try player.cancel()

// MARK: A dictionary

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
Thread.sleep(forTimeInterval: 0.4)

// MARK: A file

let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("\(UUID().uuidString).ahap")
let text = """
    {"Version": 1.0, "Pattern": [{"Event": {"Time": 0.0, "EventType": "HapticContinuous",
    "EventDuration": 0.1,
    "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 0.8}]}}]}
    """
try text.write(to: url, atomically: true, encoding: .utf8)
try engine.playPattern(from: url)
Thread.sleep(forTimeInterval: 0.3)
try engine.makePlayer(with: CHHapticPattern(contentsOf: url)).start(atTime: 0)
Thread.sleep(forTimeInterval: 0.3)
try FileManager.default.removeItem(at: url)
do {
    try engine.playPattern(from: url)
} catch let error as CHHapticError {
    print("No file: \(error.code.rawValue)")
}

// MARK: Changing while playing

let continuous = CHHapticEvent(
    eventType: .hapticContinuous, parameters: [intensity, sharpness], relativeTime: 0, duration: 0.1
)
let advanced = try engine.makeAdvancedPlayer(
    with: CHHapticPattern(events: [continuous], parameters: []))
let isComplete = DispatchSemaphore(value: 0)
advanced.loopEnabled = true
advanced.loopEnd = 0.2
advanced.completionHandler = { error in
    print("The player is over: \(error.map { "\($0)" } ?? "no error").")
    isComplete.signal()
}
let dynamic = CHHapticDynamicParameter(
    parameterID: .hapticIntensityControl, value: 0.4, relativeTime: 0)
try advanced.start(atTime: CHHapticTimeImmediate)
Thread.sleep(forTimeInterval: 0.15)
try advanced.sendParameters([dynamic], atTime: CHHapticTimeImmediate)
try advanced.stop(atTime: engine.currentTime + 0.4)
isComplete.wait()

// MARK: A reset

let held = try CHHapticPattern(
    events: [
        CHHapticEvent(
            eventType: .hapticContinuous,
            parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 0.9)],
            relativeTime: 0, duration: 30)
    ], parameters: [])
try engine.makePlayer(with: held).start(atTime: CHHapticTimeImmediate)
hasRestarted.wait()
do {
    try player.start(atTime: CHHapticTimeImmediate)
} catch CHHapticError.invalidPatternPlayer {
    print("Players do not survive a reset.")
}

// MARK: The end

let curve = CHHapticParameterCurve(
    parameterID: .hapticIntensityControl,
    controlPoints: [
        CHHapticParameterCurve.ControlPoint(relativeTime: 0, value: 0.5),
        CHHapticParameterCurve.ControlPoint(relativeTime: 0.1, value: 0.5),
    ], relativeTime: 0)
try engine.makePlayer(with: CHHapticPattern(events: [continuous], parameterCurves: [curve]))
    .start(atTime: CHHapticTimeImmediate)
engine.notifyWhenPlayersFinished { error in
    print("All players are over: \(error.map { "\($0)" } ?? "no error").")
    return .stopEngine
}
hasStopped.wait()
do {
    try engine.makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
} catch let error as CHHapticError {
    print("Not running: \(error.code.rawValue)")
}
let isDone = DispatchSemaphore(value: 0)
Task.detached {
    try await engine.start()
    try await engine.stop()
    isDone.signal()
}
isDone.wait()
print("done")
