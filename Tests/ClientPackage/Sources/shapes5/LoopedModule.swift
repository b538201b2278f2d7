// A module for a cross-platform framework that plays files by name and keeps an advanced player in
// order to seek.

import HapticBridge

private class Module {
    private let engine: CHHapticEngine
    private var player: CHHapticAdvancedPatternPlayer?

    init() throws {
        engine = try CHHapticEngine()
        engine.isMutedForAudio = true
        engine.resetHandler = { [weak self] in try? self?.engine.start() }
        try engine.start()
    }

    func play(_ url: URL, loops: Bool, reject: (String, Error) -> Void) {
        do {
            let data = try Data(contentsOf: url)
            let json = try JSONSerialization.jsonObject(with: data) as! [String: Any]
            player = try engine.makeAdvancedPlayer(with: CHHapticPattern(dictionary: json))
            player?.loopEnabled = loops
            player?.playbackRate = 2
            let start = engine.currentTime + 0.1
            try player?.start(atTime: start)
            try player?.stop(atTime: start + 0.15)
        } catch {
            reject("play", error)
        }
    }
}

func loopedModule() throws {
    let folder = try bundle([
        "pulse.ahap": """
        {"Pattern": [{"Event": {"Time": 0, "EventType": "HapticTransient", "EventDuration": 0.2,
        "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 0.8}]}}]}
        """
    ])
    let module = try Module()
    module.play(folder.appendingPathComponent("pulse.ahap"), loops: true) { print($0, $1) }
    rest(0.5)
}
