// A file player that uses the engine's finished handler to wait for the end of the playback.

import HapticBridge

@MainActor
private final class FilePlayer {
    private var engine: CHHapticEngine?
    private(set) var finished = 0
    private var files: [String: Data] = [:]

    func load(_ name: String, _ text: String) { files[name] = Data(text.utf8) }

    func play(_ name: String, completion: @escaping () -> Void) throws {
        if engine == nil { engine = try CHHapticEngine() }
        guard let engine, let data = files[name] else { return }
        try engine.start()
        try engine.playPattern(from: data)
        engine.notifyWhenPlayersFinished { error in
            if let error { print(error) }
            completion()
            return .leaveEngineRunning
        }
    }
}

@MainActor
func streamedFiles() throws {
    let player = FilePlayer()
    for intensity in [0.8, 0.4] {
        player.load("file", ahap(intensity: intensity))
        var wasCalled = false
        let isOver = DispatchSemaphore(value: 0)
        try player.play("file") {
            wasCalled = true
            isOver.signal()
        }
        isOver.wait()
        precondition(wasCalled)
    }
}
