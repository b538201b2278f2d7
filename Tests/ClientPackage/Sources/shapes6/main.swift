// Runs programs that are modeled on public programs whose authors use the strict concurrency checks
// of Swift 6.

import HapticBridge

let shapes: [String: @MainActor () throws -> Void] = [
    "typedPatterns": typedPatterns, "streamedFiles": streamedFiles, "presets": presets,
    "platformFeedback": platformFeedback,
]

guard let name = CommandLine.arguments.dropFirst().first, let play = shapes[name] else {
    print("shapes: \(shapes.keys.sorted().joined(separator: " "))")
    exit(64)
}
try play()
