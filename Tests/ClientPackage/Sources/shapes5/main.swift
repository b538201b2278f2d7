// Runs the named program on the first board that answers. The programs are modeled on public
// programs in Swift 5. Each program is written for Core Haptics, but imports this library instead.

import HapticBridge

let shapes: [String: () throws -> Void] = [
    "cFunctions": cFunctions, "serviceWithReset": serviceWithReset, "playground": playground,
    "sharedTaps": sharedTaps, "tapHelper": tapHelper, "controllersInTurn": controllersInTurn,
    "curvesFromOutside": curvesFromOutside, "filesBesideSounds": filesBesideSounds,
    "clipPlayer": clipPlayer, "resourceManager": resourceManager, "loopedJSON": loopedJSON,
    "loopedModule": loopedModule, "codablePattern": codablePattern,
    "vibrateForMilliseconds": vibrateForMilliseconds, "notation": notation,
    "engineExtension": engineExtension,
    "mainActorManager": { try MainActor.assumeIsolated(mainActorManager) },
    "nativeModule": nativeModule, "decodableSubclasses": decodableSubclasses,
    "endlessUntilStopped": endlessUntilStopped, "sampler": sampler, "customHaptics": customHaptics,
    "priorities": priorities, "dial": dial, "expoModule": expoModule,
    "actorOwnedEngine": actorOwnedEngine, "opaqueBridge": opaqueBridge,
    "gameEnginePlugin": gameEnginePlugin, "oldSampler": oldSampler,
]

guard let name = CommandLine.arguments.dropFirst().first, let play = shapes[name] else {
    print("shapes: \(shapes.keys.sorted().joined(separator: " "))")
    exit(64)
}
try play()
