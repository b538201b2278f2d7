// AHAP files in a bundle that refer to sounds next to the files, sounds in the root of the bundle,
// and missing sounds.

import HapticBridge

private func file(_ sound: String, intensity: Double) -> String {
    """
    {"Version": 1, "Pattern": [
    {"Event": {"Time": 0, "EventType": "AudioCustom", "EventWaveformPath": "\(sound)",
     "EventParameters": [{"ParameterID": "AudioVolume", "ParameterValue": 0.7}]}},
    {"Event": {"Time": 0, "EventType": "HapticTransient", "EventParameters": [
     {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)}]}}]}
    """
}

func filesBesideSounds() throws {
    let folder = try bundle([
        "AHAP/beside.ahap": file("drums.wav", intensity: 1),
        "AHAP/top.ahap": file("AHAP/drums.wav", intensity: 0.8),
        "AHAP/missing.ahap": file("gone.wav", intensity: 0.4), "AHAP/drums.wav": "RIFF",
    ])
    let engine = try CHHapticEngine()
    try engine.start()
    for name in ["beside", "top", "missing"] {
        let url = folder.appendingPathComponent("AHAP").appendingPathComponent("\(name).ahap")
        try engine.playPattern(from: url)
        rest(0.2)
    }
}
