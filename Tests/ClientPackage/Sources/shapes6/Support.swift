// Functions that wait, and that create files as in an app's bundle. The file is shared by shapes5
// and shapes6, which contains a symbolic link to it.

import HapticBridge

/// Waits while the main actor continues to run.
func rest(_ seconds: TimeInterval) {
    RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds))
}

/// Returns a new folder with files given by their paths.
func bundle(_ files: [String: String]) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    for (path, text) in files {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
    }
    return folder
}

/// Returns the text of an AHAP file with one event that holds a level for a given time.
func ahap(intensity: Double, duration: Double = 0.1) -> String {
    """
    {"Version": 1.0, "Pattern": [{"Event": {"Time": 0.0, "EventType": "HapticContinuous",
    "EventDuration": \(duration), "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)},
    {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}]}
    """
}
