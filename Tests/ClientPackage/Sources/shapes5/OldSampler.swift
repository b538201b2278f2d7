// A sampler for the first beta versions of Core Haptics, which is copied line by line from the
// article "Playing a Custom Haptic Pattern from a File".

import HapticBridge

private protocol Sampling {
    func loop(_ filename: String, in folder: URL) throws
}

private final class OldSampler: Sampling {
    var engine: CHHapticEngine!
    var hapticEngine: CHHapticEngine! { engine }
    var advancedPlayer: CHHapticAdvancedPatternPlayer?

    func createEngine() {
        // Create and configure a haptic engine.
        do {
            engine = try CHHapticEngine()
        } catch let error {
            print("Engine Creation Error: \(error)")
        }
    }

    func playHapticsFile(named filename: String) {
        // Express the path to the AHAP file before attempting to load it.
        guard let path = Bundle.main.path(forResource: filename, ofType: "ahap") else {
            print("There is no \(filename) in the bundle.")
            return
        }
        do {
            // Start the engine in case it's idle.
            try engine.start()
            // Tell the engine to play a pattern.
            try engine.playPattern(from: URL(fileURLWithPath: path))
        } catch {
            print("An error occurred playing \(filename): \(error).")
        }
    }

    // This function is also deprecated, because otherwise the compiler warns and suggests
    // `makeAdvancedPlayer(with:)`.
    @available(*, deprecated)
    func loop(_ filename: String, in folder: URL) throws {
        let file = folder.appendingPathComponent(filename)
        let ahapPattern: CHHapticPattern? = try CHHapticPattern(contentsOf: file)
        self.advancedPlayer = try! self.hapticEngine.createAdvancedPlayer(with: ahapPattern!)
        self.advancedPlayer?.loopEnabled = true
        try engine.start()
        try advancedPlayer?.start(atTime: CHHapticTimeImmediate)
        rest(0.15)
        try advancedPlayer?.stop(atTime: CHHapticTimeImmediate)
        rest(0.15)
        let tap = try engine.createPlayer(with: ahapPattern!)
        try tap.start(atTime: CHHapticTimeImmediate)
        rest(0.3)
    }
}

func oldSampler() throws {
    let sampler = OldSampler()
    sampler.createEngine()
    sampler.playHapticsFile(named: "Sparkle")
    let folder = try bundle(["Buzz.ahap": ahap(intensity: 0.6, duration: 1)])
    try (sampler as any Sampling).loop("Buzz.ahap", in: folder)
}
