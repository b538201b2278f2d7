// A sampler that plays a bundle's files. The sampler's engine uses an audio session.

import HapticBridge

private final class Sampler {
    private var engine: CHHapticEngine!
    private var engineNeedsStart = true

    func createEngine() {
        do {
            engine = try CHHapticEngine(audioSession: nil)
        } catch let error {
            print("Engine Creation Error: \(error)")
        }
        engine.stoppedHandler = { [weak self] reason in
            if reason == .systemError { print("System error") }
            self?.engineNeedsStart = true
        }
        engine.resetHandler = { [weak self] in
            do {
                try self?.engine.start()
            } catch {
                print("Failed to restart the engine: \(error)")
            }
        }
    }

    func playHapticsFile(_ url: URL) {
        do {
            if engineNeedsStart { try engine.start() }
            engineNeedsStart = false
            try engine.playPattern(from: url)
        } catch {
            print("An error occurred playing \(url.lastPathComponent): \(error).")
        }
    }
}

func sampler() throws {
    let drums = """
        {"Version": 1.0, "Metadata": {"Project": "Sampler"}, "Pattern": [
        {"Event": {"Time": 0.0, "EventType": "AudioCustom",
         "EventWaveformPath": "AHAP/Drums.wav", "EventParameters": [
         {"ParameterID": "AudioVolume", "ParameterValue": 0.75}]}},
        {"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [
         {"ParameterID": "HapticIntensity", "ParameterValue": 1.0}]}}]}
        """
    let folder = try bundle([
        "AHAP/Drums.ahap": drums, "AHAP/Drums.wav": "RIFF", "AHAP/Buzz.ahap": ahap(intensity: 0.6),
    ])
    let sampler = Sampler()
    sampler.createEngine()
    for name in ["AHAP/Drums.ahap", "AHAP/Buzz.ahap"] {
        sampler.playHapticsFile(folder.appendingPathComponent(name))
        rest(0.3)
    }
}
